"""Checks that must pass before the desk takes over from an older system."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from scoop.core.handover import ComparisonFigures

COVERED = 0.99  # share of arrivals with a document, and of documents with an embedding

CheckOutcome = Literal["pass", "fail", "n/a"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Counts from the database."""

    sources: int
    unvisited: list[str]
    runs: int
    short_runs: list[int]
    quarantined: int
    items: int
    documents: int
    embedded: int
    published: int
    repeated: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check, its measured value, and its outcome."""

    check: str
    outcome: CheckOutcome
    figure: str


def checks(counts: Counts, compared: Sequence[ComparisonFigures], programs: Mapping[str, str | None]) -> list[Check]:
    """All checks, in order; `programs` are the older system's, None if one cannot be run."""
    return [
        _no_loss(counts),
        _covered("documents are at least 99 % of the arrived items", counts.documents, counts.items),
        _covered("embeddings are at least 99 % of the documents", counts.embedded, counts.documents),
        _fewer_duplicates(compared),
        _told_once(counts),
        _way_back(programs),
    ]


def _no_loss(counts: Counts) -> Check:
    figure = f"{counts.sources:,} sources, {counts.runs:,} runs"
    problems = [
        *([f"never read: {', '.join(counts.unvisited[:5])}"] if counts.unvisited else []),
        *([f"lost items in runs {', '.join(map(str, counts.short_runs[:5]))}"] if counts.short_runs else []),
        *([f"{counts.quarantined:,} in quarantine (scoop work quarantine)"] if counts.quarantined else []),
    ]
    return Check(
        check="all sources arrive, and nothing of them is lost",
        outcome="fail" if problems else "pass" if counts.runs else "n/a",
        figure="; ".join([figure, *(problems or ["nothing lost"])]),
    )


def _covered(check: str, part: int, whole: int) -> Check:
    if not whole:
        return Check(check=check, outcome="n/a", figure="there are none yet")
    share = part / whole
    figure = f"{part:,} of {whole:,} ({100 * share:.2f} %)"
    return Check(check=check, outcome="pass" if share >= COVERED else "fail", figure=figure)


def _fewer_duplicates(compared: Sequence[ComparisonFigures]) -> Check:
    check = "digests tell fewer things twice than the older system's did"
    items, published = sum(each.legacy_items for each in compared), sum(each.our_stories for each in compared)
    if not items:
        return Check(check=check, outcome="n/a", figure="no legacy digest was imported that Scoop has a digest beside")
    before = sum(each.legacy_doubles + each.legacy_repeats for each in compared)
    ours = sum(each.our_doubles + each.our_repeats for each in compared)
    figure = f"{before:,} of {items:,} before, {ours:,} of {published:,} now"
    is_fewer = ours * items < before * published or ours == 0
    return Check(check=check, outcome="pass" if is_fewer else "fail", figure=figure)


def _told_once(counts: Counts) -> Check:
    return Check(
        check="no story is published twice in the digest of a topic and a date",
        outcome="fail" if counts.repeated else "pass" if counts.published else "n/a",
        figure=f"{counts.repeated:,} of {counts.published:,} published twice",
    )


def _way_back(programs: Mapping[str, str | None]) -> Check:
    check = "the older system can post again within 5 minutes"
    if not programs:
        return Check(check=check, outcome="n/a", figure="no topic has a legacy command")
    missing = [slug for slug, program in programs.items() if program is None]
    if missing:
        problem = (
            f"the program of {', '.join(missing)} cannot be run; set it: scoop legacy command {missing[0]} -- PROGRAM"
        )
        return Check(check=check, outcome="fail", figure=problem)
    ready = f"scoop legacy rollback TOPIC --run-now does it, for {', '.join(programs)}"
    return Check(check=check, outcome="pass", figure=ready)
