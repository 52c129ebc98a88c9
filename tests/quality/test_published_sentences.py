"""Every sentence of a summary of the newsstand's events has a passage that supports it, by a check of its own.

The check shares no code with `scoop.core.support`: it compares digits, names and words of a sentence with the passages
that it cites.
"""

import re
import unicodedata
from collections import defaultdict

import pytest

from scoop.core.briefs import Order, SourceText, summary
from scoop.core.briefs.summary import CheckedSummary
from scoop.fetch.client import open_client
from scoop.newsstand import world
from scoop.writers.local import LocalWriter

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
        said = pieces(sentence.text)
        has_words = not said or len(said & pieces(passage)) / len(said) >= MIN_SHARED
        if not passage.strip() or not has_words or not figures(sentence.text) <= figures(passage):
            wrong.append(sentence.text)
    return wrong


def sources_in(language: str) -> list[list[SourceText]]:
    """The articles of each event in one language, if they have a text."""
    found = [[source for source in sources if source.language == language] for sources in EVENTS.values()]
    return [sources for sources in found if summary.has_text(sources)]


async def summarise(sources: list[SourceText]) -> CheckedSummary:
    order = Order(kind="summary", language="", documents=tuple(sources[:10]))
    async with open_client() as client:
        reply = await LocalWriter(LocalWriter.Options(), client).write(order, summary.prompt(order))
    return summary.check(summary.parse(reply.text, order), order)


@pytest.mark.parametrize("language", ["en", "de", "ja", "zh"])
async def test_every_published_sentence_has_a_passage_that_supports_it(language):
    events = sources_in(language)
    sentences, wrong = 0, []
    for sources in events:
        checked = await summarise(sources)
        sentences += len(checked.sentences)
        wrong += unsupported(checked, sources)
    assert sentences >= len(events) > 0
    assert wrong == []


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
