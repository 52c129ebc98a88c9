"""`scoop curators`, `curate` and `curator explain` as their users meet them."""

import asyncio
import json
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest
from newsstand_builders import ANCHOR, Clock, a_world, an_article

from builders import as_lines, scoop
from curating import a_post_about
from scoop.newsstand import server
from scoop.newsstand.sites import models
from scoop.serve import serving

INTERESTS = """
max_articles = 2
min_articles = 1
min_relevance_score = 60
collections = ["world_news"]

[[topics]]
topic = "PostgreSQL"
aliases = ["postgres"]
priority = "high"

[[topics]]
topic = "Go"

[[channels]]
name = "main"
kind = "file"
options = {folder = "FOLDER"}
"""
NOW = datetime.now(UTC)


def articles(*topics, first=1):
    """Articles of the last hours, about a topic each."""
    return [a_post_about(number, topic, hours_ago=2, before=NOW) for number, topic in enumerate(topics, start=first)]


@asynccontextmanager
async def a_desk(database_url, home, folder):
    """The command line with a model server; `call.models` has the requests."""
    app = server.create_app(a_world(an_article("ferry", title="Ferry", body="It sails.")), ANCHOR, Clock())
    async with serving(app) as address:
        settings = {
            "database_url": database_url,
            "home": home,
            "tasks_summary_writer": "none",
            "tasks_evaluation_writer": "openai",
            "writers_openai_base_url": f"{address}/{models.HOST}/v1",
            "writers_openai_model": models.MODEL,
        }

        async def call(*arguments, **options):
            return await asyncio.to_thread(scoop, *arguments, **settings | options)

        call.models = app.state.models
        call.file = folder / "interests.toml"
        call.file.write_text(INTERESTS.replace("FOLDER", str(folder / "posted")))
        call.posted = folder / "posted"
        yield call


async def read(call, *arguments, **options):
    done = await call(*arguments, "--json", **options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


async def gather(call, *topics, first=1):
    assert (await call("ingest", "--items", "-", stdin=as_lines(articles(*topics, first=first)))).returncode == 0
    assert (await call("run-once")).returncode == 0


async def test_a_curator_is_added_posts_the_best_and_never_repeats(database_url, home, tmp_path):
    async with a_desk(database_url, home, tmp_path) as call:
        await gather(call, "PostgreSQL", "Go", "Cheese", "PostgreSQL")
        due = NOW.strftime("%-M %-H * * *")
        added = await call(
            "curators", "add", "picks", "--interests", str(call.file), "--cron", due, "--timezone", "UTC"
        )
        assert "scoop curate --curator picks --dry-run" in added.stdout, added.stderr
        shown = await read(call, "curators", "show", "picks")
        assert (shown["collections"], shown["interests_version"]) == (["world_news"], 1)
        assert [channel["name"] for channel in shown["channels"]] == ["main"]

        done = await call("curate", "--curator", "picks", "--publish")
        assert done.returncode == 0, done.stderr
        assert "leads today, about PostgreSQL. The other article is about" in done.stdout
        assert "not among the best 2" in done.stdout
        (file,) = call.posted.iterdir()
        assert "/100 · PostgreSQL**" in file.read_text()
        again = await call("curate", "--curator", "picks", "--publish")
        assert (again.stdout, len(list(call.posted.iterdir())), len(call.models.calls)) == (done.stdout, 1, 4)

        (listed,) = await read(call, "curators", "list")
        assert listed["status"]["articles"] == {"notified": 2, "relevant": 1, "rejected": 1}
        (explained,) = await read(call, "curator", "explain", articles("Cheese", first=3)[0]["canonical_url"])
        assert (explained["state"], explained["reason"]) == ("rejected", "no_topic_match")
        told = await call("curator", "explain", articles("PostgreSQL")[0]["canonical_url"], "--curator", "picks")
        assert "picks: notified" in told.stdout
        assert "topic 27, concrete" in told.stdout


async def test_the_prompt_of_an_evaluation_has_the_interests_of_its_curator(database_url, home, tmp_path):
    async with a_desk(database_url, home, tmp_path) as call:
        await gather(call, "PostgreSQL")
        await call("curators", "add", "picks", "--interests", str(call.file))
        url = articles("PostgreSQL")[0]["canonical_url"]
        rendered = await read(call, "prompts", "render", "evaluation", url, "--curator", "picks")
    assert "postgres" in rendered["system"] + rendered["user"]
    assert articles("PostgreSQL")[0]["title"] in rendered["user"]


async def test_a_dry_run_explains_every_score_stores_nothing_and_asks_no_model(database_url, home, tmp_path):
    async with a_desk(database_url, home, tmp_path) as call:
        await gather(call, "PostgreSQL", "Cheese")
        await call("curators", "add", "picks", "--interests", str(call.file))
        await call("assign-topics")
        preview = await read(call, "curate", "--curator", "picks", "--dry-run")
        one, two = preview["articles"]
        assert (one["outcome"], one["rank"], one["matching_topics"], one["is_estimate"]) == (
            "selected",
            1,
            ["PostgreSQL"],
            True,
        )
        assert (two["outcome"], two["reason"], two["matching_topics"]) == ("rejected", "no_topic_match", [])
        assert all(sum(each["score_parts"].values()) == each["relevance_score"] for each in (one, two))
        assert preview["introduction"] == f"“{one['title']}” is today's article, about PostgreSQL."
        shown = (await call("curate", "--curator", "picks", "--dry-run")).stdout
        assert "nothing is stored or posted" in shown
        assert f"{one['relevance_score']}/100 *" in shown
        assert "* by the local scorer: it is not evaluated yet" in shown
        (listed,) = await read(call, "curators", "list")
        assert (listed["status"]["articles"], listed["status"]["checked_at"], len(call.models.calls)) == ({}, None, 0)
        assert not call.posted.exists()


async def test_interests_are_tested_against_those_in_use(database_url, home, tmp_path):
    async with a_desk(database_url, home, tmp_path) as call:
        await gather(call, "PostgreSQL", "Kubernetes", "Cheese")
        await call("curators", "add", "picks", "--interests", str(call.file))
        used = await read(call, "curators", "test", "picks")
        assert (used["tried"], used["count_by_topic"]["PostgreSQL"], used["gained"]) == (3, 1, [])
        changed = tmp_path / "changed.toml"
        changed.write_text('topics = ["Kubernetes"]\nmin_relevance_score = 60\n')
        trial = await read(call, "curators", "test", "picks", "--interests", str(changed), "--days", "3")
        assert [each["title"].split()[0] for each in trial["gained"]] == ["Kubernetes"]
        assert [each["title"].split()[0] for each in trial["lost"]] == ["PostgreSQL"]
        shown = (await call("curators", "test", "picks", "--interests", str(changed))).stdout
        assert "1 of 3 articles of 7 days are relevant" in shown
        assert "gained: 1" in shown
        assert "lost: 1" in shown


async def test_an_article_is_labelled_and_the_label_taken_back(database_url, home, tmp_path):
    async with a_desk(database_url, home, tmp_path) as call:
        await gather(call, "PostgreSQL")
        url = articles("PostgreSQL")[0]["canonical_url"]
        await call("curators", "add", "picks", "--interests", str(call.file))
        assert (await call("curators", "label", "picks", url, "--down")).stdout.startswith("not wanted: PostgreSQL")
        (kept,) = await read(call, "curators", "labels", "picks")
        assert (kept["is_wanted"], kept["untuned_topic_scores"].keys()) == (False, {"PostgreSQL", "Go"})
        assert (await call("curators", "unlabel", "picks", url)).stdout == "label removed\n"
        assert await read(call, "curators", "labels", "picks") == []
        again = await call("curators", "unlabel", "picks", url)
        assert (again.returncode, "the article has no label to remove" in again.stderr) == (1, True)


async def test_what_no_curator_met_is_explained(database_url, home, tmp_path):
    async with a_desk(database_url, home, tmp_path) as call:
        await gather(call, "PostgreSQL")
        await call("curators", "add", "picks", "--interests", str(call.file), "--collection", "ai_news")
        url = articles("PostgreSQL")[0]["canonical_url"]
        unread = await call("curator", "explain", url)
        assert "picks does not read it: it is not of its collections and sources" in unread.stderr
        await call("curators", "change", "picks", "--collection", "world_news")
        await call("assign-topics")
        assert "picks has not looked yet" in (await call("curator", "explain", url)).stderr
        assert "it was never gathered" in (await call("curator", "explain", "https://other.example/x")).stderr
        wrong = await call("curator", "explain", url, "--curator", "nobody")
        assert "there is no topic 'nobody'" in wrong.stderr


async def test_interests_have_a_history_and_a_bad_file_is_refused_with_line_and_field(database_url, home, tmp_path):
    async with a_desk(database_url, home, tmp_path) as call:
        await call("curators", "add", "picks", "--interests", str(call.file))
        call.file.write_text(call.file.read_text().replace('"high"', '"urgent"').replace("max_articles", "max_article"))
        refused = await call("curators", "change", "picks", "--interests", str(call.file))
        assert refused.returncode == 1
        assert f"{call.file}: line 2: max_article: unknown field; did you mean max_articles?" in refused.stderr
        assert "line 10: topics[1].priority: 'urgent' must be one of high, medium, low" in refused.stderr
        changed = await call("curators", "change", "picks", "--interests", "-", stdin=b'{"topics": ["Zig"]}')
        assert "its interests are version 2" in changed.stdout, changed.stderr
        history = await read(call, "curators", "history", "picks")
        assert [(each["version"], len(each["interests"]["topics"])) for each in history] == [(2, 1), (1, 2)]
        assert "Zig" in (await call("curators", "history", "picks")).stdout
        written = (await call("curators", "show", "picks", "--toml")).stdout
        same = await call("curators", "change", "picks", "--interests", "-", stdin=written.encode())
        assert "its interests are version 2" in same.stdout


async def test_an_earlier_version_of_interests_is_shown_and_used_again(database_url, home, tmp_path):
    async with a_desk(database_url, home, tmp_path) as call:
        await call("curators", "add", "picks", "--interests", str(call.file))
        await call("curators", "change", "picks", "--interests", "-", stdin=b'{"topics": ["Zig"]}')
        shown = (await call("curators", "show", "picks", "--version", "1")).stdout
        assert "interests, version 1" in shown
        assert "PostgreSQL" in shown
        first = (await call("curators", "show", "picks", "--version", "1", "--toml")).stdout
        restored = await call("curators", "change", "picks", "--version", "1")
        assert "its interests are version 3" in restored.stdout, restored.stderr
        assert (await call("curators", "show", "picks", "--toml")).stdout == first
        missing = await call("curators", "change", "picks", "--version", "9")
        assert "picks has no version 9 of its interests" in missing.stderr
        both = await call("curators", "change", "picks", "--version", "1", "--interests", str(call.file))
        assert "choose one of --version" in both.stderr


async def test_interests_are_read_from_a_file_at_every_run(database_url, home, tmp_path):
    async with a_desk(database_url, home, tmp_path) as call:
        await call("curators", "add", "picks", "--interests-from", str(call.file))
        text = call.file.read_text()
        call.file.write_text(text.replace('"Go"', '"Zig"'))
        assert (await call("curate", "--curator", "picks")).returncode == 0
        shown = await read(call, "curators", "show", "picks")
        assert [each["topic"] for each in shown["interests"]["topics"]] == ["PostgreSQL", "Zig"]
        assert shown["settings_from_file"] == ["collections"]
        call.file.write_text(text.replace('"Go"', "Go"))
        assert (await call("curate", "--curator", "picks")).returncode == 0
        shown = await read(call, "curators", "show", "picks")
        assert (shown["interests_version"], shown["problem"][:8]) == (2, "line 13:")
        assert "the interests could not be read: line 13" in (await call("curators", "show", "picks")).stdout
        held = await call("curators", "change", "picks", "--collection", "ai_news")
        assert f"collections: picks reads this from {call.file}; change it there" in held.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["add", "picks"], "give the interests by one of --interests FILE and --interests-from FILE|URL"),
        (["add", "picks", "--interests", "gone.toml"], "cannot read gone.toml: no such file or directory"),
        (["add", "Not A Slug", "--interests", "FILE"], "slug: must be"),
        (["change", "picks", "--cron", "often"], "cron: "),
        (["change", "nobody", "--cron", "0 9 * * *"], "there is no topic 'nobody'"),
        (["change", "picks", "--freshness-days", "31"], "freshness_days: must be a whole number from 1 to 30"),
        (["change", "picks", "--language", "klingonish"], "language: 'klingonish' is not a language"),
        (["shw", "picks"], "did you mean show?"),
        (["unlabel", "picks", "https://other.example/x"], "no document"),
    ],
)
async def test_a_wrong_command_says_what_to_do(database_url, home, tmp_path, arguments, message):
    async with a_desk(database_url, home, tmp_path) as call:
        await call("curators", "add", "picks", "--interests", str(call.file))
        done = await call("curators", *[str(call.file) if each == "FILE" else each for each in arguments])
        assert done.returncode in {1, 2}
        assert message in done.stderr


async def test_a_topic_without_interests_is_no_curator(database_url, home, tmp_path):
    async with a_desk(database_url, home, tmp_path) as call:
        await call("topics", "add", "energy")
        done = await call("curate", "--curator", "energy")
        assert "energy is a topic without interests; `scoop curators list` shows the curators" in done.stderr
        both = await call("curate", "--curator", "energy", "--dry-run", "--publish")
        assert (both.returncode, "choose one of --dry-run and --publish" in both.stderr) == (2, True)


async def test_a_curator_is_disabled_enabled_and_removed(database_url, home, tmp_path):
    async with a_desk(database_url, home, tmp_path) as call:
        await call("curators", "add", "picks", "--interests", str(call.file))
        assert (await call("curators", "disable", "picks")).stdout == "picks disabled\n"
        assert (await read(call, "curators", "enable", "picks"))["enabled"] is True
        assert (await call("curators", "remove", "picks")).stdout.startswith("picks removed")
        assert "there are no curators" in (await call("curators", "list")).stderr
