import pytest

from web.visitor import visiting


async def test_the_404_page_of_a_signed_in_person_has_the_menu_and_that_of_others_has_not(database):
    async with visiting(database, role="reader") as visitor:
        signed_in = [await visitor.get("/nope"), await visitor.get("/stories/nope"), await visitor.get("/runs/7")]
    async with visiting(database, role=None) as visitor:
        anonymous = await visitor.get("/nope")
    for answer in signed_in:
        assert answer.status == 404
        assert {"/digests", "/sources", "/settings/account"} <= set(answer.page.links())
    assert anonymous.status == 404
    assert "/digests" not in anonymous.page.links()


@pytest.mark.parametrize("role", ["reader", None])
async def test_browsers_and_crawlers_find_the_files_of_a_site(database, role):
    async with visiting(database, role=role) as visitor:
        async with visitor.session.get(f"{visitor.address}/favicon.ico") as icon:
            content = await icon.read()
        robots = await visitor.get("/robots.txt")
        manifest = await visitor.get("/manifest.webmanifest")
        icons = [await visitor.get(icon["src"], method="HEAD") for icon in manifest.json["icons"]]
    assert (icon.status, icon.content_type, content[:4]) == (200, "image/x-icon", b"\0\0\1\0")
    assert robots.text == "User-agent: *\nDisallow: /\n"
    assert manifest.headers["Content-Type"] == "application/manifest+json"
    assert manifest.json["start_url"] == "/"
    assert [(icon.status, icon.headers["Content-Type"]) for icon in icons] == [
        (200, "image/svg+xml"),
        (200, "image/png"),
        (200, "image/png"),
    ]
