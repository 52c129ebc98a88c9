"""Whether the desk can take over from an older system: what must hold, and what was found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from scoop.core.handover import ComparisonFigures

COVERED = 0.99  # of the arrivals are documents, and of the documents are embedded

CheckOutcome = Literal["pass", "fail", "n/a"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What the database holds."""

    sources: int
    unvisited: list[str]
    runs: int
    short_runs: list[int]
    quarantined: int
    items: int
    documents: int
    embedded: int
    told: int
    repeated: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that must hold, the figure that was found, and whether it does."""

    check: str
    outcome: CheckOutcome
    figure: str


def checks(counts: Counts, compared: Sequence[ComparisonFigures], programs: Mapping[str, str | None]) -> list[Check]:
    """Every check, in the order of the list; `programs` are the older system's, None where one cannot be run."""
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
    items, told = sum(each.legacy_items for each in compared), sum(each.our_stories for each in compared)
    if not items:
        return Check(check=check, outcome="n/a", figure="no legacy digest was imported that Scoop has a digest beside")
    before = sum(each.legacy_doubles + each.legacy_repeats for each in compared)
    ours = sum(each.our_doubles + each.our_repeats for each in compared)
    figure = f"{before:,} of {items:,} before, {ours:,} of {told:,} now"
    is_fewer = ours * items < before * told or ours == 0
    return Check(check=check, outcome="pass" if is_fewer else "fail", figure=figure)


def _told_once(counts: Counts) -> Check:
    return Check(
        check="no story is told twice in the digest of a topic and a date",
        outcome="fail" if counts.repeated else "pass" if counts.told else "n/a",
        figure=f"{counts.repeated:,} of {counts.told:,} told twice",
    )


def _way_back(programs: Mapping[str, str | None]) -> Check:
    check = "the older system can post again within 5 minutes"
    if not programs:
        return Check(check=check, outcome="n/a", figure="no topic has a legacy command")
    missing = [slug for slug, program in programs.items() if program is None]
    if missing:
        told = (
            f"the program of {', '.join(missing)} cannot be run; set it: scoop legacy command {missing[0]} -- PROGRAM"
        )
        return Check(check=check, outcome="fail", figure=told)
    told = f"scoop legacy rollback TOPIC --run-now does it, for {', '.join(programs)}"
    return Check(check=check, outcome="pass", figure=told)
