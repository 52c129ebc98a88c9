"""Replays: run part of the ledger again under other settings, and compare the stories."""

import asyncio
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from scoop.app import App, open_client, open_database, open_embedder
from scoop.config import Config
from scoop.core import clusters, embedding_text, links
from scoop.core.clusters import Agreement
from scoop.errors import NotFound, UsageError
from scoop.evaluation import scratch
from scoop.evaluation.scratch import TIERS, EvaluationTier, GroupDifference
from scoop.stage_names import StageName
from scoop.store import embeddings, replays, stories
from scoop.store.db import Database
from scoop.store.replays import PlacedDocument
from scoop.store.stories import DocumentName, Placement
from scoop.worker import Report

BATCH = 2000  # arrivals copied at once


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayRequest:
    """The part of the ledger to replay, and the settings to change."""

    collection: str | None
    since: datetime | None
    limit: int
    embedder: str | None
    thresholds: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """The active embedding model and its thresholds; None if it has no links."""

    model_name: str
    model_version: str
    thresholds: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class TierComparison:
    """Counts of stories or coverage groups before and after, and of documents whose group changed.

    The agreement treats the state before as correct.
    """

    before: int
    after: int
    moved: int
    agreement: Agreement


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """The result of a replay; `unplaced` documents have no story on one side and are not compared."""

    arrivals: int
    documents: int
    unplaced: int
    before: Basis | None
    after: Basis
    merge: TierComparison
    coverage: TierComparison
    differences: list[GroupDifference]
    seconds: float


async def replay(config: Config, request: ReplayRequest, *, stop: asyncio.Event, report: Report) -> Replayed:
    """Replay part of the ledger in a scratch database and compare; the desk's own database is only read."""
    under = replace(config, embedder=request.embedder or config.embedder)
    async with open_database(config) as ours:
        arrival_ids = await _newest(ours, request)
        before, after = await _current_basis(ours), await _requested_basis(ours, under, request.thresholds)
        report.message(f"replaying {len(arrival_ids):,} arrivals; creating a scratch database ...")
        async with scratch.open_scratch(under) as app:
            began = time.perf_counter()
            placed = await _copy_arrivals(ours, app, arrival_ids, stop=stop, report=report)
            await _run_stages(app, after.thresholds, stop=stop, report=report)
            seconds = time.perf_counter() - began
            async with app.database.connection() as conn:
                place_by_name = await stories.get_placements(conn)
    compared = {name: document for name, document in placed.items() if name in place_by_name}
    labels = {tier: _labels(tier, compared, place_by_name) for tier in TIERS}
    return Replayed(
        arrivals=len(arrival_ids),
        documents=len(compared),
        unplaced=len(placed.keys() ^ place_by_name.keys()),
        before=before,
        after=after,
        merge=_comparison(*labels["merge"]),
        coverage=_comparison(*labels["coverage"]),
        differences=_differences(labels, [document.title for document in compared.values()]),
        seconds=seconds,
    )


# Settings


async def _current_basis(ours: Database) -> Basis | None:
    async with ours.connection() as conn:
        model = await embeddings.find_active(conn)
    return _basis(model.model_name, model.model_version, model.calibration) if model else None


async def _requested_basis(ours: Database, config: Config, thresholds: Mapping[str, float]) -> Basis:
    """The model and thresholds of the replay; the desk's own unless the request names others."""
    async with open_client(config) as client:
        model = open_embedder(config, client).model
    version = embedding_text.with_recipe(model.version)
    async with ours.connection() as conn:
        stored = await embeddings.find(conn, model.name, version)
    basis = _basis(model.name, version, {**(stored.calibration if stored else {}), **thresholds})
    if thresholds and not basis.thresholds:
        raise UsageError(
            f"the model {model.name} {version} has no link model, so thresholds have no effect; "
            "replay without thresholds, or with the embedder local"
        )
    return basis


def _basis(model_name: str, model_version: str, calibration: Mapping[str, float]) -> Basis:
    fit = links.load_model(model_name, model_version)
    decides = links.calibrated(fit, calibration) if fit else None
    thresholds = {name: getattr(decides, name) for name in links.THRESHOLDS} if decides else {}
    return Basis(model_name=model_name, model_version=model_version, thresholds=thresholds)


# Through the stages


async def _newest(ours: Database, request: ReplayRequest) -> list[int]:
    async with ours.connection() as conn:
        arrival_ids = await replays.list_newest(
            conn, collection=request.collection, since=request.since, limit=request.limit
        )
    if not arrival_ids:
        raise NotFound("the ledger has no matching arrivals; `scoop runs` lists when items arrived")
    return arrival_ids


async def _copy_arrivals(
    ours: Database, app: App, arrival_ids: Sequence[int], *, stop: asyncio.Event, report: Report
) -> dict[DocumentName, PlacedDocument]:
    """Copy arrivals, and return the current placement of their documents."""
    placed: dict[DocumentName, PlacedDocument] = {}
    async with ours.connection() as conn, conn.transaction(isolation="repeatable_read", readonly=True):
        for start in range(0, len(arrival_ids), BATCH):
            if stop.is_set():
                break
            batch = arrival_ids[start : start + BATCH]
            async with app.database.connection() as theirs:
                await replays.copy_arrivals(conn, theirs, batch)
            placed |= await replays.get_placements(conn, batch)
            report(StageName.INGEST, len(batch))
    return placed


async def _run_stages(app: App, thresholds: Mapping[str, float], *, stop: asyncio.Event, report: Report) -> None:
    """Run all stages; thresholds are set before anything is linked, because the model must exist first."""
    before_linking = [stage for stage in app.stages if stage.name != StageName.LINK]
    await scratch.run_until_idle(replace(app, stages=before_linking), stop=stop, report=report)
    async with app.database.connection() as conn:
        model = await embeddings.find_active(conn)
        if model is not None:
            await embeddings.calibrate(conn, model, thresholds)
    await scratch.run_until_idle(app, stop=stop, report=report)


# Comparison

StoryLabels = tuple[list[int], list[int]]
"""The groups of the compared documents, before and after."""


def _labels(
    tier: EvaluationTier,
    compared: Mapping[DocumentName, PlacedDocument],
    place_by_name: Mapping[DocumentName, Placement],
) -> StoryLabels:
    before = [getattr(document.place, tier) for document in compared.values()]
    return before, [getattr(place_by_name[name], tier) for name in compared]


def _comparison(before: Sequence[int], after: Sequence[int]) -> TierComparison:
    pairs = list(zip(before, after, strict=True))
    sizes_before, sizes_after, shared = Counter(before), Counter(after), Counter(pairs)
    return TierComparison(
        before=len(sizes_before),
        after=len(sizes_after),
        moved=sum(not sizes_before[one] == sizes_after[other] == shared[one, other] for one, other in pairs),
        agreement=clusters.agreement(after, before),
    )


def _differences(labels: Mapping[EvaluationTier, StoryLabels], titles: Sequence[str]) -> list[GroupDifference]:
    """All joins and splits of both tiers, the largest of each kind first."""
    differences: list[GroupDifference] = []
    for tier, (before, after) in labels.items():
        joins, splits = clusters.list_mixed_groups(after, before), clusters.list_mixed_groups(before, after)
        differences += [scratch.difference(tier, "join", parts, titles) for parts in joins]
        differences += [scratch.difference(tier, "split", parts, titles) for parts in splits]
    return differences
