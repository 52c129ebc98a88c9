"""Every sentence of a summary of the newsstand's events has a passage that supports it, by a check of its own.

The check shares no code with `scoop.core.support`: it compares digits, names and words of a sentence with the passages
that it cites. The words that the newsstand's model `reworded` puts before a sentence claim nothing: they are not
compared.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from newsstand_builders import ANCHOR, Clock

from scoop.core.briefs import BadReply, Order, SourceText, summary
from scoop.core.briefs.summary import CheckedSummary
from scoop.embedders import local as local_embedder
from scoop.fetch.client import open_client
from scoop.newsstand import server, world
from scoop.newsstand.model_replies import REWORDED
from scoop.newsstand.sites import models
from scoop.serve import serving
from scoop.writers import Writer
from scoop.writers.local import LocalWriter
from scoop.writers.openai import OpenAIWriter

LOCAL = "local"
HONEST = (LOCAL, models.MODEL, "reworded")  # the others obey orders of articles, or write about another story
MODELS = (models.MODEL, "reworded", "obedient", "other-story")
MIXED = "mixed"  # whole events with articles in several languages
LANGUAGES = ("en", "de", "ja", "zh", MIXED)
MAX_DOCUMENTS = 10
MIN_SHARED = 0.6  # of a sentence's words, or pairs of signs, that the passages must have


def documents_by_event() -> dict[str, list[SourceText]]:
    shipped = world.load(world.SHIPPED)
    gold = world.gold(world.SHIPPED)
    by_event = defaultdict(list)
    for number, article in enumerate(shipped.articles, start=1):
        source = SourceText(
            document_id=number,
            title=article.title,
            body_text=article.body,
            language=article.language,
            publisher=article.outlet,
        )
        by_event[gold[article.id].event].append(source)
    return by_event


EVENTS = documents_by_event()


def plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def figures(text: str) -> set[str]:
    return {re.sub(r"[.,]", "", found) for found in re.findall(r"\d[\d.,]*\d|\d", plain(text))}


def pieces(text: str) -> set[str]:
    """Words, and pairs of signs of scripts without spaces."""
    words = set(re.findall(r"[^\W\d_]{3,}", re.sub(r"[\u3040-\u9fff]", " ", plain(text))))
    runs = re.findall(r"[\u3040-\u9fff]+", plain(text))
    return words | {run[at : at + 2] for run in runs for at in range(len(run) - 1)}


def unsupported(checked: CheckedSummary, sources: list[SourceText]) -> list[str]:
    """The sentences whose passages lack their figures, or most of their words."""
    bodies = {source.document_id: source.body_text for source in sources}
    wrong = []
    for sentence in checked.sentences:
        passage = " ".join(bodies[each.document_id][each.start : each.end] for each in sentence.citations)
        said = pieces(sentence.text.removeprefix(REWORDED))
        has_words = not said or len(said & pieces(passage)) / len(said) >= MIN_SHARED
        if not passage.strip() or not has_words or not figures(sentence.text) <= figures(passage):
            wrong.append(sentence.text)
    return wrong


def sources_in(language: str) -> list[list[SourceText]]:
    """The articles of each event in one language, or of each event in several, if they have a text."""
    if language == MIXED:
        found = [sources for sources in EVENTS.values() if len({source.language for source in sources}) > 1]
    else:
        found = [[source for source in sources if source.language == language] for sources in EVENTS.values()]
    return [sources[:MAX_DOCUMENTS] for sources in found if summary.has_text(sources)]


@dataclass(slots=True, kw_only=True)
class Tally:
    """What a writer proposed for the events of a language, what was published of it, and what no passage supports."""

    events: int = 0
    proposed: int = 0
    published: int = 0
    unsupported: list[str] = field(default_factory=list)


async def tally_of(writer: Writer, events: list[list[SourceText]]) -> Tally:
    tally = Tally(events=len(events))
    for sources in events:
        order = Order(kind="summary", language="", documents=tuple(sources))
        drafts = summary.parse((await writer.write(order, summary.prompt(order))).text, order)
        tally.proposed += len(drafts)
        try:
            checked = summary.check(drafts, order, embed=local_embedder.encode)
        except BadReply:
            continue
        tally.published += len(checked.sentences)
        tally.unsupported += unsupported(checked, sources)
    return tally


@asynccontextmanager
async def a_writer(model: str) -> AsyncIterator[Writer]:
    """The local writer, or one with a model of the newsstand's server."""
    app = server.create_app(world.load(world.SHIPPED), ANCHOR, Clock())
    async with serving(app) as address, open_client() as client:
        base_url = f"{address}/{models.HOST}/v1"
        options = OpenAIWriter.Options(base_url=base_url, model=model)
        yield LocalWriter(LocalWriter.Options(), client) if model == LOCAL else OpenAIWriter(options, client)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("model", [LOCAL, *MODELS])
async def test_every_published_sentence_has_a_passage_that_supports_it(model, language):
    events = sources_in(language)
    async with a_writer(model) as writer:
        tally = await tally_of(writer, events)
    assert tally.proposed >= len(events) > 0
    assert tally.published >= (len(events) if model in HONEST else 0)
    assert tally.unsupported == []


def test_the_second_check_finds_a_changed_figure_and_another_subject():
    source = SourceText(
        document_id=1, title="", body_text="The bridge cost 12 million crowns.", language="en", publisher="a"
    )
    cited = (summary.Citation(document_id=1, start=0, end=len(source.body_text)),)

    def of(text: str) -> CheckedSummary:
        sentence = summary.SummarySentence(text=text, paragraph=0, citations=cited)
        return CheckedSummary(language="en", sentences=(sentence,), confidence=1.0)

    assert unsupported(of("The bridge cost 12 million crowns."), [source]) == []
    assert unsupported(of("The bridge cost 13 million crowns."), [source])
    assert unsupported(of("Several ferries sailed yesterday evening."), [source])
