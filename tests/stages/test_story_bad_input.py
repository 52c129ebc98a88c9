"""Input that nobody would write on purpose, through the real stages: no story is made by accident, nothing blocks."""

import asyncio
import json
import tempfile
from dataclasses import replace

import pytest
from newsstand_builders import ANCHOR, Clock, a_world, an_article

from builders import BODY, an_item, ingest, partition, scoop, told
from scoop import pipeline, worker
from scoop.app import App
from scoop.archive.objects import Archive
from scoop.cli.progress import Silent
from scoop.config import Config
from scoop.core.documents import MAX_BODY_CHARACTERS
from scoop.core.handover_modes import Modes
from scoop.embedders.openai import OpenAI
from scoop.fetch.client import open_client
from scoop.fetch.sandbox import open_sandbox
from scoop.newsstand import server, world
from scoop.newsstand.sites import embeddings as face
from scoop.serve import serving
from scoop.stages import dedup, normalize
from scoop.stages.stage import Worker
from scoop.store import arrivals, work

MANY = 300
HEADLINE = "Old bridge over the Lenn stays closed until every cable has been checked"
LONGEST_BODY = 500_000  # characters that the door lets pass


def a_report(number, **changes):
    """One of many, each by a publisher of its own."""
    host = f"paper{number}.example"
    return an_item(number, source=host, canonical_url=f"https://{host}/{number}", **changes)


def paragraphs():
    """Passages of the newsstand's articles, of which none is a copy of another, long enough to be embedded as texts."""
    found = {
        passage[:40]: passage
        for article in world.load(world.SHIPPED).articles
        for passage in article.body.split("\n\n")
        if len(passage.split()) >= 45
    }
    return list(found.values())


async def queue(database):
    async with database.connection() as conn:
        return await work.counts(conn)


# Titles


async def test_a_title_of_which_nothing_is_left_is_refused_with_the_reason_and_its_neighbour_goes_in(database):
    await told(database, [an_item(1, title="\u200b\u00ad\ufe0f"), an_item(2)])
    async with database.connection() as conn:
        (refused,) = await arrivals.list_refusals(conn)
    assert refused.problems == [{"path": "$.title", "reason": "must not be blank"}]
    assert await partition(database) == {frozenset({"item-2"})}


async def test_titles_of_one_character_put_nothing_together(database):
    titles = ("A", "a", "A", "1", "1", "!", "!", "火", "火", "\U0001f525", "\U0001f525", "\u3164", "\u3164")
    items = [a_report(number, title=title, body_text=None) for number, title in enumerate(titles)]
    await told(database, items)
    assert len(await partition(database)) == len(items)
    assert await queue(database) == []


async def test_a_short_title_that_many_publishers_use_puts_nothing_together(database):
    bodies = paragraphs()[:MANY]
    await told(
        database,
        [a_report(number, title="Morning briefing", body_text=body) for number, body in enumerate(bodies)],
    )
    assert len(await partition(database)) == MANY


# Bodies


async def test_a_body_as_long_as_the_door_allows_is_cut_and_folded_like_any_other(database):
    body = " ".join(f"{BODY} Paragraph {number}." for number in range(5000))[:LONGEST_BODY]
    copy = an_item(
        2, source="herald", canonical_url="https://herald.example/2", title=HEADLINE, body_text=f"{body[:-9]}x"
    )
    await told(database, [an_item(1, title=HEADLINE, body_text=body), copy])
    assert await partition(database) == {frozenset({"item-1", "item-2"})}
    async with database.connection() as conn:
        kept = await conn.fetchval("SELECT max(length(body_text)) FROM documents")
    assert kept <= MAX_BODY_CHARACTERS
    assert await queue(database) == []


async def test_a_body_that_is_one_word_without_end_holds_up_nobody(database):
    await told(database, [an_item(1, body_text="x" * LONGEST_BODY), an_item(2, body_text="\u0e01" * LONGEST_BODY)])
    assert len(await partition(database)) == 2
    assert await queue(database) == []


# Crowds


async def test_one_report_that_very_many_publishers_print_is_one_story(database):
    items = [a_report(number, title=HEADLINE, body_text=f"{BODY} {BODY}") for number in range(MANY)]
    await told(database, items[: MANY // 2])
    await told(database, items[MANY // 2 :])
    assert await partition(database) == {frozenset(item["source_item_id"] for item in items)}


async def test_another_member_is_compared_with_no_more_documents_however_many_the_story_has(database):
    """Each is a near copy under the same headline, so that every rule has all members for candidates."""

    def near_copy(number):
        return a_report(number, title=HEADLINE, body_text=f"{BODY} Our reporter number {number} was there.")

    compared, statements = [], []
    async with database.connection() as conn:
        member = Worker(await work.register_worker(conn), conn)
        for already, size in ((0, 220), (220, 440)):
            await ingest(database, [near_copy(number) for number in range(already, size)])
            await fold(member)
            await ingest(database, [near_copy(10_000 + size)])
            await drain(normalize.stage(then=("dedup",)), member)
            due = await conn.fetchval("SELECT subject FROM work WHERE stage = 'dedup'")
            batch = await dedup.load(conn, [due])
            compared.append(len(batch.exact) + len(list(batch.copies.matches())))
            asked = []
            conn.add_query_logger(asked.append)
            await fold(member)
            conn.remove_query_logger(asked.append)
            statements.append(len(asked))
    assert len(await partition(database)) == 1
    assert compared[0] == compared[1]
    assert statements[0] == statements[1]


async def fold(member):
    await drain(normalize.stage(then=("dedup",)), member)
    await drain(replace(dedup.stage(then=()), batch=20), member)


async def drain(stage, member):
    await worker.drain(stage, member, stop=asyncio.Event(), report=Silent())


# Embedding servers


async def run_with(database, url):
    """All stages, with an embedding server whose vectors the links trust as they do those of the local embedder."""
    options = OpenAI.Options(base_url=url, model="use-multilingual", version="v3")
    with tempfile.TemporaryDirectory() as folder:
        async with open_client() as client, open_sandbox() as sandbox:
            archive = Archive.open(folder, credentials={})
            stages = pipeline.stages(client, archive, sandbox, secrets={}, embedder=OpenAI(options, client))
            app = App(
                config=Config(),
                database=database,
                archive=archive,
                stages=stages,
                jobs=pipeline.periodic_jobs(stages, archive, modes=Modes(), timezone="UTC"),
                modes=Modes(),
                channels={},
            )
            await worker.run(app, stop=asyncio.Event(), until_idle=True, report=Silent())


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("dies-in-the-middle", "closed the connection in the middle of its response"),
        ("other-dimension", "has 64 dimensions, and its embedder now gives 48"),
        ("nan", "did not send vectors as JSON"),
        ("503", "answered 503"),
    ],
)
async def test_stories_are_made_without_a_good_embedding_server_and_completed_when_it_is_back(
    database, database_url, mode, reason
):
    copy = an_item(2, source="herald", canonical_url="https://tribune.example/1", title="Other words")
    stranger = a_report(
        3, title="Ferry sails free of charge", body_text=f"Pupils pay nothing until spring. {HEADLINE}."
    )
    expected = {frozenset({"item-1", "item-2"}), frozenset({"item-3"})}
    async with serving(server.create_app(a_world(an_article()), ANCHOR, Clock())) as address:
        await ingest(database, [an_item(1)])
        await run_with(database, f"{address}/{face.HOST}/embed")
        await ingest(database, [copy, stranger])
        await run_with(database, f"{address}/{face.HOST}/{mode}/embed")
        assert await partition(database) == expected
        told_by = await asyncio.to_thread(scoop, "work", "failed", "--json", database_url=database_url)
        failed = json.loads(told_by.stdout)
        assert {waiting["stage"] for waiting in failed} == {"embed"}
        assert len(failed) == 2
        assert all(reason in waiting["error"] for waiting in failed)
        async with database.connection() as conn:
            await work.retry_now(conn)
        await run_with(database, f"{address}/{face.HOST}/embed")
    assert await partition(database) == expected
    assert await queue(database) == []


# Scripts that the local embedder cannot read: it puts all their texts together


BENGALI_BRIDGE = (
    "নগর পরিষদ মঙ্গলবার জানিয়েছে যে নদীর উপর পুরোনো সেতুটি বন্ধ থাকবে যতক্ষণ না প্রকৌশলীরা প্রতিটি তার দুবার পরীক্ষা করেন। "
    "দোকানদাররা ব্যবসা নিয়ে চিন্তিত, কারণ তাদের অর্ধেক ক্রেতা স্টেশন থেকে হেঁটে আসতেন। একটি ফেরি বসন্ত পর্যন্ত সাইকেল আরোহী ও "
    "ছাত্রদের বিনামূল্যে পার করবে, আর মেরামতের খরচ দেবে বন্দর তহবিল।"
)
BENGALI_CUP = (
    "জাতীয় দল গতরাতে তিন গোলে জিতে হাজার হাজার দর্শকের সামনে কাপের ফাইনালে উঠেছে। অধিনায়ক প্রথমার্ধে দুটি গোল করেন এবং "
    "গোলরক্ষক শেষ মিনিটে একটি পেনাল্টি ঠেকান। কোচ বলেছেন যে রবিবারের খেলার আগে আহত ডিফেন্ডার সুস্থ হয়ে উঠবেন বলে তিনি "
    "আশা করেন, তবে কোনো ঝুঁকি নেওয়া হবে না, কারণ লিগ এখনও দীর্ঘ।"
)
TAMIL_BRIDGE = (
    "பழைய பாலம் ஒவ்வொரு கம்பியும் இரண்டு முறை சோதிக்கப்படும் வரை மூடப்பட்டிருக்கும் என நகர சபை செவ்வாயன்று கூறியது. "
    "கடைக்காரர்கள் வியாபாரம் குறையும் என்று அஞ்சுகிறார்கள், ஏனெனில் அவர்களின் வாடிக்கையாளர்களில் பாதி பேர் நிலையத்திலிருந்து நடந்து வந்தனர். "
    "வசந்த காலம் வரை ஒரு படகு மாணவர்களையும் மிதிவண்டி ஓட்டுபவர்களையும் இலவசமாக ஏற்றிச் செல்லும். "
    "பழுதுபார்க்கும் செலவை துறைமுக நிதி ஏற்கும் என்று "
    "மேயர் தெரிவித்தார், ஆனால் பணிகள் எப்போது முடியும் என்று அவர் சொல்லவில்லை."
)
TAMIL_CUP = (
    "தேசிய அணி நேற்று இரவு மூன்று கோல்களுடன் வென்று ஆயிரக்கணக்கான ரசிகர்கள் முன் கோப்பை இறுதிப் போட்டிக்கு முன்னேறியது. "
    "தலைவர் முதல் பாதியில் இரண்டு கோல்கள் அடித்தார், கடைசி நிமிடத்தில் காவலர் ஒரு தண்டனை உதையைத் தடுத்தார். "
    "ஞாயிற்றுக்கிழமை ஆட்டத்திற்கு முன் காயமடைந்த வீரர் குணமடைவார் என்று பயிற்சியாளர் நம்புகிறார், ஆனால் எந்த ஆபத்தும் எடுக்க மாட்டோம் "
    "என்று அவர் கூறினார், ஏனெனில் பருவம் இன்னும் நீண்டது என்றும் அணி இளமையானது என்றும் சொன்னார்."
)


@pytest.mark.parametrize(
    ("language", "bridge", "cup"),
    [
        ("bn", ("পুরোনো সেতু বন্ধ থাকবে", BENGALI_BRIDGE), ("ফাইনালে জাতীয় দল", BENGALI_CUP)),
        ("ta", ("பழைய பாலம் மூடப்பட்டுள்ளது", TAMIL_BRIDGE), ("இறுதிப் போட்டியில் தேசிய அணி", TAMIL_CUP)),
    ],
    ids=["bengali", "tamil"],
)
async def test_two_reports_in_a_script_that_the_embedder_cannot_read_stay_apart(database, language, bridge, cup):
    items = [
        a_report(number, title=title, body_text=body, language=language)
        for number, (title, body) in enumerate((bridge, cup), start=1)
    ]
    await told(database, items)
    assert await partition(database) == {frozenset({"item-1"}), frozenset({"item-2"})}
