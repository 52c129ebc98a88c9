"""Groups stories that probably cover one event."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from scoop.core import event_groups, genres, links
from scoop.core import events as decisions
from scoop.core.event_groups import GroupableStory
from scoop.core.events import PlacedStory, Regrouping
from scoop.stage_names import StageName
from scoop.stages import summaries
from scoop.stages.stage import Outcome, Stage
from scoop.stages.summaries import NOTHING_AHEAD, SummaryPolicy
from scoop.store import embeddings, events, review, webhooks
from scoop.store import links as store
from scoop.store.db import Connection
from scoop.store.links import DocumentIdPair, LinkedStory
from scoop.store.stories import LOCK
from scoop.store.work import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedStories:
    """Stories linked directly or through others, the oldest first; their links, and what people decided about pairs.

    `requested` are the ids that are to be grouped.
    """

    requested: Sequence[int]
    stories: Sequence[LinkedStory]
    probabilities: Mapping[DocumentIdPair, float]
    apart: Collection[DocumentIdPair]
    together: Collection[DocumentIdPair]
    threshold: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouping:
    """The events of regrouped stories, and how central each story is in its event.

    Without a model that links documents every requested story stays in its event.
    """

    requested: Sequence[int]
    regrouping: Regrouping | None = None
    centrality: Mapping[int, float] = field(default_factory=dict)


async def load(conn: Connection, ids: Sequence[int]) -> LinkedStories | Grouping:
    model = await embeddings.find_active(conn)
    fit = links.load_model(model.model_name, model.model_version) if model else None
    if model is None or fit is None:
        return Grouping(requested=ids)
    threshold = links.calibrated(fit, model.calibration).coverage_at
    stories = await store.find_component(conn, model, ids, at_least=event_groups.connects_at(threshold))
    story_ids = [story.story_id for story in stories]
    return LinkedStories(
        requested=ids,
        stories=stories,
        probabilities=await store.get_link_strengths(conn, model, story_ids),
        apart=await review.list_kept_apart(conn, story_ids),
        together=await store.list_ties(conn, story_ids),
        threshold=threshold,
    )


async def group(linked: LinkedStories | Grouping) -> Outcome[Grouping]:
    """The event of each story."""
    if isinstance(linked, Grouping):
        return Outcome(output=linked)
    if not linked.stories:
        return Outcome(output=Grouping(requested=linked.requested))
    tied = {story_id for pair in linked.together for story_id in pair}
    groups = event_groups.group_stories(
        [_groupable(story, is_tied=story.story_id in tied) for story in linked.stories],
        linked.probabilities,
        linked.apart,
        linked.threshold,
        together=linked.together,
    )
    story_by_id = {story.story_id: story for story in linked.stories}
    return Outcome(
        output=Grouping(
            requested=linked.requested,
            regrouping=decisions.regroup([[_placed(story_by_id[story_id]) for story_id in group] for group in groups]),
            centrality=_centrality(groups, linked.probabilities),
        )
    )


def _groupable(story: LinkedStory, *, is_tied: bool) -> GroupableStory:
    return GroupableStory(
        story_id=story.story_id,
        families=frozenset(story.families),
        may_join=is_tied or genres.genre(story.title, story.url) not in genres.OF_MANY_EVENTS,
    )


def _placed(story: LinkedStory) -> PlacedStory:
    return PlacedStory(
        story_id=story.story_id, event_id=story.coverage_id, item_count=story.item_count, may_return=story.may_return
    )


def _centrality(groups: Sequence[Sequence[int]], probabilities: Mapping[DocumentIdPair, float]) -> dict[int, float]:
    """The mean link probability of each story to the others of its group."""
    group_by_story = {story_id: place for place, group in enumerate(groups) for story_id in group}
    total: defaultdict[int, float] = defaultdict(float)
    for (one, other), probability in probabilities.items():
        if group_by_story[one] == group_by_story[other]:
            total[one] += probability
            total[other] += probability
    return {story: total[story] / (len(group) - 1) for group in groups if len(group) > 1 for story in group}


async def save(conn: Connection, grouping: Grouping, *, policy: SummaryPolicy) -> list[Subject]:
    """Write the events, ask for their summaries, and give the webhook deliveries about them."""
    grouped = set(grouping.requested)
    if grouping.regrouping is not None:
        await events.regroup(conn, grouping.regrouping, grouping.centrality)
        grouped |= grouping.regrouping.event_by_story.keys()
    await summaries.ask_about_events(conn, policy, sorted(grouped))
    return await webhooks.enqueue_events(conn, sorted(grouped))


def stage(
    *, then: tuple[StageName, ...], policy: SummaryPolicy = NOTHING_AHEAD
) -> Stage[LinkedStories | Grouping, Grouping]:
    """The stage; `then` get webhook deliveries, `policy` says which events are summarised ahead."""
    return Stage(
        name=StageName.GROUP,
        load=load,
        work=group,
        save=partial(save, policy=policy),
        then=then,
        batch=1000,
        lock=LOCK,
    )
