"""A file in a folder: whole or not at all, under a name that says what it is."""

import json
import os

import msgspec
import pytest

from channels.posts import a_digest, a_post, an_errand, failure
from scoop.channels import NotSent
from scoop.channels.file import File


def a_file(folder, **options) -> File:
    return File(File.Options(folder=str(folder), **options))


@pytest.mark.parametrize(("form", "ending"), [("markdown", "md"), ("html", "html"), ("json", "json")])
async def test_a_digest_becomes_a_file_of_its_topic_and_date(tmp_path, form, ending):
    folder = tmp_path / "made" / "for it"
    channel = a_file(folder, format=form)
    (part,) = channel.parts(a_digest(), lambda number: f"marker{number}")
    sent = await channel.send(a_post(payload=part.payload), an_errand())
    assert sent == str(folder / f"ai_news-2026-11-15.{ending}")
    assert [file.name for file in folder.iterdir()] == [f"ai_news-2026-11-15.{ending}"]
    written = (folder / f"ai_news-2026-11-15.{ending}").read_text()
    assert "Bridge closed" in (json.loads(written)["markdown"] if form == "json" else written)
    assert part.story_ids == (4, 9)


async def test_sending_again_and_correcting_rewrite_the_file(tmp_path):
    channel = a_file(tmp_path)
    for _ in range(2):
        sent = await channel.send(a_post(payload="first"), an_errand())
    assert (tmp_path / "ai_news-2026-11-15.md").read_text() == "first"
    await channel.edit(a_post(message_id=sent, correction="better"), an_errand())
    assert [file.read_text() for file in tmp_path.iterdir()] == ["better"]


async def test_a_file_may_be_read_by_whom_the_folder_lets(tmp_path):
    sent = await a_file(tmp_path).send(a_post(), an_errand())
    assert os.stat(sent).st_mode & 0o777 == 0o666 & ~current_umask()


def current_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


async def test_a_folder_that_cannot_be_written_to_says_why_and_may_be_tried_again(tmp_path):
    (tmp_path / "taken").write_text("a file")
    error = await failure(a_file(tmp_path / "taken").send(a_post(), an_errand()))
    assert type(error) is NotSent
    assert "taken" in str(error)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="/dev/full is a device of Linux")
async def test_a_full_disk_leaves_the_old_file_as_it_was(tmp_path):
    await a_file(tmp_path).send(a_post(payload="old"), an_errand())
    (tmp_path / f".ai_news-2026-11-15.md.{a_post().marker}").symlink_to("/dev/full")
    error = await failure(a_file(tmp_path).send(a_post(payload="new"), an_errand()))
    assert type(error) is NotSent
    assert "space" in str(error)
    assert [file.read_text() for file in tmp_path.iterdir()] == ["old"]


async def test_a_home_that_nobody_knows_is_told():
    assert type(await failure(a_file("~nobody-of-that-name/x").send(a_post(), an_errand()))) is NotSent


@pytest.mark.parametrize("wrong", [{}, {"folder": "here"}, {"folder": "/a\0b"}, {"folder": "/a", "format": "pdf"}])
def test_wrong_options_are_refused(wrong):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(wrong, File.Options)
