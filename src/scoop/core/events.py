"""Events: which story leads one, which id a regrouped one keeps, and when one is new, developing or quiet."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import log2
from typing import Literal

from scoop.core import genres, headlines
from scoop.core.headlines import Form

NEW_FOR = timedelta(hours=12)
DEVELOPING_FOR = timedelta(hours=24)
DEVELOPS_AGAIN_AFTER = timedelta(hours=12)  # a further report is news again after this long
DEVELOPS_BY = 2  # times the independent publishers of the last development

EventStatus = Literal["new", "developing", "quiet"]

BREADTH = 0.12  # for twice as many independent publishers; less than what separates a report from a side piece
NOT_A_REPORT = -2.0  # below every report
FORM_PENALTY: Mapping[Form, float] = {"news": 0.0, "follow_up": -0.25, "side_piece": -0.5}
EARLIEST = 0.03
CLEARLY_BETTER = 0.15  # a lead is replaced only by a story that scores this much more


def status(
    *, first_seen_at: datetime, last_seen_at: datetime, created_at: datetime, developed_at: datetime, now: datetime
) -> EventStatus:
    """New for half a day; developing for a day after it developed, if its last report is as recent; quiet otherwise."""
    if now - first_seen_at < NEW_FOR:
        return "new"
    has_developed_lately = developed_at > created_at and now - developed_at < DEVELOPING_FOR
    return "developing" if has_developed_lately and now - last_seen_at < DEVELOPING_FOR else "quiet"


def has_developed(
    *, known_families: int, families: int, has_new_story: bool, developed_at: datetime, now: datetime
) -> bool:
    """Whether readers who know an event should look again.

    Twice as many independent publishers report it as when it last developed, or a further story comes half a day later.
    """
    is_wider = families >= DEVELOPS_BY * known_families
    return is_wider or (has_new_story and now - developed_at >= DEVELOPS_AGAIN_AFTER)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadCandidate:
    """A story that may lead its event; `centrality` is its mean link probability to the others, None if alone."""

    story_id: int
    title: str
    url: str | None
    language: str
    publisher_family_count: int
    first_seen_at: datetime
    centrality: float | None = None


def choose_lead(candidates: Sequence[LeadCandidate], *, current: int | None = None, chosen: int | None = None) -> int:
    """The lead of an event: a person's choice, else the best story; the current one stays if it is nearly as good."""
    scores = lead_scores(candidates)
    if chosen in scores:
        return chosen
    best = max(scores, key=lambda story_id: (scores[story_id], -story_id))
    if current in scores and scores[best] - scores[current] < CLEARLY_BETTER:
        return current
    return best


def choose_leads(candidates: Sequence[LeadCandidate]) -> dict[str, int]:
    """The best story of each language that has a report: readers of a language see it instead of the event's lead."""
    by_language: defaultdict[str, list[LeadCandidate]] = defaultdict(list)
    for candidate in candidates:
        by_language[candidate.language].append(candidate)
    best = {language: _best(own) for language, own in sorted(by_language.items())}
    return {
        language: lead.story_id for language, lead in best.items() if _title_penalty(lead) > FORM_PENALTY["side_piece"]
    }


def _best(candidates: Sequence[LeadCandidate]) -> LeadCandidate:
    lead = choose_lead(candidates)
    return next(candidate for candidate in candidates if candidate.story_id == lead)


def lead_scores(candidates: Sequence[LeadCandidate]) -> dict[int, float]:
    """How well each story represents its event."""
    earliest = min(candidate.first_seen_at for candidate in candidates)
    return {
        candidate.story_id: _lead_score(candidate) + (EARLIEST if candidate.first_seen_at == earliest else 0.0)
        for candidate in candidates
    }


def _lead_score(candidate: LeadCandidate) -> float:
    """Centrality first, then breadth, less what the title lacks."""
    breadth = BREADTH * log2(candidate.publisher_family_count)
    return (candidate.centrality or 0.0) + breadth + _title_penalty(candidate)


def _title_penalty(candidate: LeadCandidate) -> float:
    """A video, ticker or round-up never leads where there is a report; a side piece hardly ever."""
    is_report = genres.genre(candidate.title, candidate.url) == "report"
    return FORM_PENALTY[headlines.form(candidate.title)] + (0.0 if is_report else NOT_A_REPORT)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedStory:
    """A story with the event that it is part of now; `may_return`: the event that it founded is merged into another."""

    story_id: int
    event_id: int
    item_count: int
    may_return: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Regrouping:
    """The event of each story after regrouping; events that are `merged` into others, `revived`, and `opened` new.

    `shrunk` are events that stories left. An opened event has a negative number, to be replaced by one of the database.
    """

    event_by_story: Mapping[int, int]
    merged: Mapping[int, int] = field(default_factory=dict)
    revived: frozenset[int] = frozenset()
    opened: frozenset[int] = frozenset()
    shrunk: frozenset[int] = frozenset()


def regroup(groups: Sequence[Sequence[PlacedStory]]) -> Regrouping:
    """Name regrouped stories by the events that they come from.

    An event goes on in the group that has most of its documents. A group that several events go on in keeps the oldest;
    the others are merged into it. A group that no event goes on in gets back the event that one of its stories founded,
    or a new one.
    """
    heirs = _heirs(groups)
    names: dict[int, int] = {}
    merged: dict[int, int] = {}
    for place, events in heirs.items():
        names[place] = min(events)
        merged |= {event: names[place] for event in events if event != names[place]}
    unnamed = [place for place in range(len(groups)) if place not in names]
    taken = {event for events in heirs.values() for event in events}
    opened: set[int] = set()
    for place in unnamed:
        own = sorted(story.story_id for story in groups[place] if story.may_return and story.story_id not in taken)
        names[place] = own[0] if own else -1 - len(opened)
        if not own:
            opened.add(names[place])
    return Regrouping(
        event_by_story={story.story_id: names[place] for place, group in enumerate(groups) for story in group},
        merged=merged,
        revived=frozenset(names[place] for place in unnamed) - opened,
        opened=frozenset(opened),
        shrunk=frozenset(
            story.event_id
            for place, group in enumerate(groups)
            for story in group
            if story.event_id != names[place] and story.event_id not in merged
        ),
    )


def _heirs(groups: Sequence[Sequence[PlacedStory]]) -> dict[int, list[int]]:
    """The events that go on in each group, by its place."""
    items_by_event: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for place, group in enumerate(groups):
        for story in group:
            items_by_event[story.event_id][place] += story.item_count
    heirs: defaultdict[int, list[int]] = defaultdict(list)
    for event, items in sorted(items_by_event.items()):
        heirs[max(items, key=lambda place: (items[place], -_oldest(groups[place])))].append(event)
    return dict(heirs)


def _oldest(group: Collection[PlacedStory]) -> int:
    return min(story.story_id for story in group)
