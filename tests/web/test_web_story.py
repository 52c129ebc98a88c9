from uuid import uuid4

from builders import told
from web.visitor import a_report, visiting

ADDRESS = "https://tribune.example/flood"


async def story_path(visitor):
    return (await visitor.get("/")).page.links("/stories/")[0]


async def test_a_story_lists_its_documents_in_order_of_appearance(database):
    await told(database, [
        a_report(1, source="harbour_post", title="River rises", canonical_url=ADDRESS, hours_ago=2),
        a_report(2, source="akari", title="川が増水", canonical_url=ADDRESS, language="ja", hours_ago=5),
    ])  # fmt: skip
    async with visiting(database) as visitor:
        page = (await visitor.get(await story_path(visitor))).page
    documents = page.text.partition("In order of appearance")[2]
    assert documents.index("川が増水 Ak Akari 16 May, 07:00 Japanese") < documents.index(
        "River rises HP Harbour Post 16 May, 10:00 English"
    )
    assert [link for link in page.links("http") if link == ADDRESS] == [ADDRESS, ADDRESS]
    assert [headline.get("lang") for headline in page.attributes("h3")] == ["ja", None]


async def test_a_document_says_why_it_is_in_the_story(database):
    await told(database, [a_report(1, source="first", canonical_url=ADDRESS)])
    await told(database, [a_report(2, source="second", canonical_url=ADDRESS, title="The same", hours_ago=1)])
    async with visiting(database) as visitor:
        page = (await visitor.get(await story_path(visitor))).page
    assert "opened this story in Scoop why Scoop read it first of all" in page.text
    assert (
        "same address why Its address, freed of tracking, is the same as that of Bridge number 1 stays closed (First)"
        in page.text
    )
    assert "match 1.00" in page.text
    assert [meter["value"] for meter in page.attributes("meter")] == ["1.0"]
    assert page.links("#document-")[0].removeprefix("#") in [document.get("id") for document in page.attributes("li")]


async def test_a_document_without_an_address_is_no_link(database):
    await told(database, [a_report(1, canonical_url=None)])
    async with visiting(database) as visitor:
        page = (await visitor.get(await story_path(visitor))).page
    assert "Bridge number 1 stays closed" in page.text
    assert page.links("http") == []


async def test_a_source_goes_by_the_name_it_was_given(database):
    await told(database, [a_report(1, source="nw")])
    async with database.connection() as conn:
        await conn.execute(
            "INSERT INTO sources (slug, name, kind, collection) VALUES ('nw', 'The Northern Wire', 'rss', 'x')"
        )
    async with visiting(database) as visitor:
        front = (await visitor.get("/")).page
        story = (await visitor.get(front.links("/stories/")[0])).page
    assert "TN The Northern Wire" in front.text
    assert "TN The Northern Wire" in story.text


async def test_a_merged_story_leads_to_the_one_that_stayed(database):
    one, other = a_report(1, canonical_url=ADDRESS, hours_ago=9), a_report(2, title="Another", hours_ago=5)
    await told(database, [one, other])
    async with visiting(database) as visitor:
        before = (await visitor.get("/")).page.links("/stories/")
        await told(database, [{**other, "source": "bridge", "canonical_url": ADDRESS}])
        after = (await visitor.get("/")).page.links("/stories/")
        (gone,) = set(before) - set(after)
        answer = await visitor.get(gone)
    assert len(before) == 2
    assert (answer.status, answer.headers["Location"]) == (302, after[0])


async def test_an_unknown_story_is_not_found(database):
    async with visiting(database) as visitor:
        answers = [await visitor.get(f"/stories/{name}") for name in (uuid4(), "1", "nonsense", "..%2F..%2Fetc")]
    assert {answer.status for answer in answers} == {404}


async def test_a_story_leads_to_others_that_probably_tell_of_the_same(database):
    await told(database, [a_report(1), a_report(2, title="Harbour fees rise", body_text="Ships pay more from May on.")])
    async with database.connection() as conn:
        await conn.execute("UPDATE stories SET coverage_id = (SELECT min(story_id) FROM stories)")
    async with visiting(database) as visitor:
        page = (await visitor.get(await story_path(visitor))).page
    assert "Probably the same event" in page.text
    assert len(page.links("/stories/")) == 1
