"""Measurement of stories against gold labels: documents go through the real stages, then are compared."""

import asyncio
import io
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random
from statistics import fmean

import msgspec

from scoop.app import App
from scoop.config import Config
from scoop.core import clusters, items, publishers, urls
from scoop.core.clusters import Agreement, IndexPair
from scoop.embedders import VectorCache
from scoop.evaluation import scratch
from scoop.evaluation.datasets import Labelled
from scoop.evaluation.scratch import TIERS, DifferenceKind, EvaluationTier, GroupDifference
from scoop.model import Item
from scoop.stage_names import StageName
from scoop.stages.push import push
from scoop.store import links, stories
from scoop.store.links import NamedLink
from scoop.store.stories import DocumentName, Placement
from scoop.worker import Report

BINS = (0.05, 0.2, 0.5, 0.7, 0.9)  # of the probability of links; those below are not stored
PORTIONS = 4  # a shuffled set is ingested in at least this many batches


@dataclass(frozen=True, slots=True, kw_only=True)
class UnplacedDocument:
    """A document that no stage placed in a story; it counts as a story of its own."""

    source_item_id: str
    title: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageFigures:
    """B-cubed F1 of the documents of one language, measured among all documents."""

    documents: int
    merge: float
    coverage: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """B-cubed F1 over several orders of arrival."""

    min: float
    mean: float
    max: float
    difference: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityBin:
    """Links with a probability from `at_least` to the next bin: how many, their mean, and the share that is right."""

    at_least: float
    links: int
    mean: float
    right: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """The figures of one set; `single_publisher_groups` are groups of coverage with one publisher family."""

    set: str
    documents: int
    stories: int
    merge: Agreement
    coverage: Agreement
    seconds: float
    reliability: list[ReliabilityBin]
    single_publisher_groups: int
    languages: dict[str, LanguageFigures]
    errors: list[GroupDifference]
    shuffles: dict[EvaluationTier, Spread]
    refused: list[UnplacedDocument]


# Through the stages


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    place_by_name: dict[DocumentName, Placement]
    links: list[NamedLink]
    seconds: float

    def labels(self, tier: EvaluationTier, documents: Sequence[Labelled]) -> list[int]:
        """The group of each document; an unplaced document is alone."""
        return [
            getattr(self.place_by_name[document.name], tier) if document.name in self.place_by_name else -position
            for position, document in enumerate(documents, start=1)
        ]


async def _run(
    config: Config, batches: Iterable[Sequence[Labelled]], memory: VectorCache, *, stop: asyncio.Event, report: Report
) -> _Outcome:
    """Ingest the batches one after the other into a scratch database."""
    async with scratch.open_scratch(config, memory=memory) as app:
        began = time.perf_counter()
        for batch in batches:
            await _fold(app, batch, stop=stop, report=report)
        seconds = time.perf_counter() - began
        async with app.database.connection() as conn:
            placements, named_links = await stories.get_placements(conn), await links.list_named(conn)
        return _Outcome(place_by_name=placements, links=named_links, seconds=seconds)


async def _fold(app: App, batch: Sequence[Labelled], *, stop: asyncio.Event, report: Report) -> None:
    """Ingest these documents and run all stages until idle."""
    lines = io.BytesIO(b"".join(msgspec.json.encode(document.item) + b"\n" for document in batch))
    if not stop.is_set():
        await push(
            app.database,
            lines,
            name="evaluate",
            now=datetime.now(UTC),
            progress=lambda count: report(StageName.INGEST, count),
        )
    await scratch.run_until_idle(app, stop=stop, report=report)


# Figures


async def measure(
    config: Config,
    name: str,
    documents: Sequence[Labelled],
    *,
    shuffles: int,
    errors: int,
    stop: asyncio.Event,
    report: Report,
) -> Measurement:
    """Ingest a set and compare its stories with the gold ones; repeat in `shuffles` other orders."""
    report.message(f"{name}: {len(documents):,} documents")
    memory: VectorCache = {}
    outcome = await _run(config, [documents], memory, stop=stop, report=report)
    others = [
        await _run(config, _shuffled(documents, Random(number)), memory, stop=stop, report=report)  # noqa: S311
        for number in range(shuffles)
    ]
    gold = [document.story for document in documents]
    labels = {tier: outcome.labels(tier, documents) for tier in TIERS}
    undecided = _undecided(documents)
    compared = {tier: clusters.agreement(labels[tier], gold, undecided=undecided) for tier in TIERS}
    return Measurement(
        set=name,
        documents=len(documents),
        stories=len(set(gold)),
        merge=compared["merge"],
        coverage=compared["coverage"],
        seconds=outcome.seconds,
        reliability=_reliability(documents, outcome.links),
        single_publisher_groups=_single_publisher_groups(documents, labels),
        languages=_by_language(documents, labels),
        errors=_errors(documents, labels, most=errors),
        shuffles={tier: _spread([outcome, *others], tier, documents) for tier in TIERS} if others else {},
        refused=_refused(documents, outcome),
    )


def _shuffled(documents: Sequence[Labelled], chance: Random) -> Iterator[list[Labelled]]:
    """The documents in another order, in batches of random size."""
    waiting = chance.sample(documents, len(documents))
    while waiting:
        size = chance.randint(1, max(1, len(documents) // PORTIONS))
        yield waiting[:size]
        waiting = waiting[size:]


def _undecided(documents: Sequence[Labelled]) -> set[IndexPair]:
    return clusters.list_undecided(
        [document.story for document in documents], [document.wide for document in documents]
    )


def _reliability(documents: Sequence[Labelled], named_links: Sequence[NamedLink]) -> list[ReliabilityBin]:
    """How often links are right, by their probability; undecided pairs are left out."""
    by_name = {document.name: document for document in documents}
    is_right_by_bin: dict[float, list[tuple[float, bool]]] = {at_least: [] for at_least in BINS}
    for link in named_links:
        one, other = by_name[link.one], by_name[link.other]
        is_right = one.story == other.story
        if is_right or not one.wide & other.wide:
            at_least = max((start for start in BINS if start <= link.probability), default=BINS[0])
            is_right_by_bin[at_least].append((link.probability, is_right))
    return [
        ReliabilityBin(
            at_least=at_least,
            links=len(pairs),
            mean=fmean(probability for probability, _ in pairs),
            right=fmean(is_right for _, is_right in pairs),
        )
        for at_least, pairs in is_right_by_bin.items()
        if pairs
    ]


def _single_publisher_groups(documents: Sequence[Labelled], labels: Mapping[EvaluationTier, Sequence[int]]) -> int:
    """The number of groups of several stories with one publisher family; unknown families are all different."""
    stories_by_group: dict[int, set[int]] = {}
    families_by_group: dict[int, set[str]] = {}
    for position, document in enumerate(documents):
        url = document.item.get("canonical_url")
        family = publishers.publisher_family(urls.host(url), "") if url else f"unknown {position}"
        stories_by_group.setdefault(labels["coverage"][position], set()).add(labels["merge"][position])
        families_by_group.setdefault(labels["coverage"][position], set()).add(family)
    return sum(len(families_by_group[group]) == 1 for group, inside in stories_by_group.items() if len(inside) > 1)


def _by_language(
    documents: Sequence[Labelled], labels: Mapping[EvaluationTier, Sequence[int]]
) -> dict[str, LanguageFigures]:
    """The figures of each language, if there are several."""
    gold, undecided = [document.story for document in documents], _undecided(documents)
    among: dict[str, list[int]] = {}
    for position, document in enumerate(documents):
        among.setdefault(document.language, []).append(position)
    return {
        language: LanguageFigures(
            documents=len(positions),
            merge=clusters.b_cubed_f1(labels["merge"], gold, among=positions, undecided=undecided),
            coverage=clusters.b_cubed_f1(labels["coverage"], gold, among=positions, undecided=undecided),
        )
        for language, positions in sorted(among.items())
        if len(among) > 1
    }


def _errors(
    documents: Sequence[Labelled], labels: Mapping[EvaluationTier, Sequence[int]], *, most: int
) -> list[GroupDifference]:
    """The worst wrong joins of both tiers, and the worst splits of coverage, which exists to repair those of merge."""
    gold, titles = [document.story for document in documents], [document.item["title"] for document in documents]
    merge, coverage, undecided = labels["merge"], labels["coverage"], _undecided(documents)
    joins = clusters.list_mixed_groups(merge, gold, undecided=undecided)
    wider = [
        parts
        for parts in clusters.list_mixed_groups(coverage, gold, undecided=undecided)
        if len({merge[position] for part in parts for position in part}) > 1  # else it was reported for merge already
    ]
    splits = clusters.list_mixed_groups(gold, coverage)
    kinds: list[tuple[EvaluationTier, DifferenceKind, list[list[list[int]]]]] = [
        ("merge", "join", joins),
        ("coverage", "join", wider),
        ("coverage", "split", splits),
    ]
    return [scratch.difference(tier, kind, parts, titles) for tier, kind, worst in kinds for parts in worst[:most]]


def _spread(outcomes: Sequence[_Outcome], tier: EvaluationTier, documents: Sequence[Labelled]) -> Spread:
    gold, everyone, undecided = [document.story for document in documents], range(len(documents)), _undecided(documents)
    figures = [
        clusters.b_cubed_f1(outcome.labels(tier, documents), gold, among=everyone, undecided=undecided)
        for outcome in outcomes
    ]
    low, high = min(figures), max(figures)
    return Spread(min=low, mean=fmean(figures), max=high, difference=high - low)


def _refused(documents: Sequence[Labelled], outcome: _Outcome) -> list[UnplacedDocument]:
    unplaced = [document.item for document in documents if document.name not in outcome.place_by_name]
    return [
        UnplacedDocument(source_item_id=item["source_item_id"], title=item["title"], reason=_reason(item))
        for item in unplaced
    ]


def _reason(item: Item) -> str:
    problems = [f"{problem.path} {problem.reason}" for problem in items.list_problems(item)]
    return problems[0] if problems else "a stage gave it up; see the log"
