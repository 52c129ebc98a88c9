"""Finds the tools that documents and comments mention, and scores what is said about each."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial

from scoop.core import engagement, mention_scores, mention_texts, tool_candidates, tools
from scoop.core.mention_scores import LABEL_NUMBERS, KnownMention, MentionSpan
from scoop.core.mentions import ToolNames, matcher
from scoop.core.mentions.matcher import Matcher
from scoop.core.sentiment import Embed, SentimentScore, SentimentTarget, kinds, passages, scoring
from scoop.core.sentiment.kinds import TextOrigin
from scoop.core.tools import Tool
from scoop.stage_names import StageName
from scoop.stages.stage import Outcome, Stage
from scoop.store import briefs
from scoop.store import mentions as store
from scoop.store import tools as tool_store
from scoop.store.db import Connection
from scoop.store.mentions import DocumentSentiment, Engagement, MentionSource, NewMention, StoredMention
from scoop.store.tools import CandidateMention
from scoop.store.work import Subject

BATCH = 200  # documents; with the local encoder about three seconds of scoring if each has a mention


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSet:
    """The names that are looked for, the tools that are not, and the names that are no candidates."""

    version: str
    matcher: Matcher
    uncounted: frozenset[int]
    known_keys: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionBatch:
    """Documents with the mentions that they have already, and the hashes of texts that have a score as a whole."""

    toolset: ToolSet
    documents: Sequence[MentionSource]
    stored: Mapping[int, Sequence[StoredMention]]
    scored_texts: Mapping[int, int] = field(default_factory=dict)
    rescores: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMentions:
    """What a batch brought: new mentions, ids of those that stay, the same of texts, and names that may be tools."""

    document_ids: Sequence[int] = ()
    new: Sequence[NewMention] = ()
    kept: Sequence[int] = ()
    new_texts: Sequence[DocumentSentiment] = ()
    kept_texts: Sequence[int] = ()
    engagement: Sequence[Engagement] = ()
    candidates: Sequence[CandidateMention] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Spotted:
    """A document in which tools were found."""

    document: MentionSource
    text: str
    text_hash: int
    unscored: Sequence[MentionSpan]
    kept: Sequence[int]

    @property
    def has_mentions(self) -> bool:
        return bool(self.unscored or self.kept)


@dataclass(slots=True)
class MentionFinder:
    """Finds and scores mentions; keeps the prepared names until a tool changes."""

    embed: Embed
    score: Callable[..., list[SentimentScore]] = scoring.score
    _toolset: ToolSet | None = field(default=None)

    async def load(self, conn: Connection, ids: Sequence[int], *, rescores: bool = False) -> MentionBatch:
        toolset = await self._current(conn)
        stored: defaultdict[int, list[StoredMention]] = defaultdict(list)
        for each in await store.list_stored(conn, ids):
            stored[each.document_id].append(each)
        return MentionBatch(
            toolset=toolset,
            documents=await store.load_documents(conn, ids),
            stored=stored,
            scored_texts=await store.list_scored_texts(conn, ids),
            rescores=rescores,
        )

    async def _current(self, conn: Connection) -> ToolSet:
        """The names of the tools as they are now."""
        version = await tool_store.version(conn)
        if self._toolset is None or self._toolset.version != version:
            self._toolset = await asyncio.to_thread(prepare, await tool_store.list_tools(conn), version)
        return self._toolset

    async def work(self, batch: MentionBatch) -> Outcome[FoundMentions]:
        return Outcome(output=await self.find(batch))

    async def find(self, batch: MentionBatch) -> FoundMentions:
        return await asyncio.to_thread(self._find, batch) if batch.documents else FoundMentions()

    def _find(self, batch: MentionBatch) -> FoundMentions:
        toolset = batch.toolset
        spotted = [
            _spot(each, toolset, batch.stored.get(each.document_id, ()), batch.rescores) for each in batch.documents
        ]
        unscored = [(each, span, _target(each, span)) for each in spotted for span in each.unscored]
        weighed = [each for each in spotted if _is_weighed(each, toolset)]
        unscored_texts = [each for each in weighed if batch.rescores or not _has_score(each, batch.scored_texts)]
        targets = [*(target for _, _, target in unscored), *map(_whole, unscored_texts)]
        scores = self.score(targets, embed=self.embed) if targets else []
        scores_of_mentions, scores_of_texts = scores[: len(unscored)], scores[len(unscored) :]
        return FoundMentions(
            document_ids=[each.document_id for each in batch.documents],
            new=[_mention(*each, score) for each, score in zip(unscored, scores_of_mentions, strict=True)],
            kept=[mention_id for each in spotted for mention_id in each.kept],
            new_texts=[
                _document_sentiment(each, score) for each, score in zip(unscored_texts, scores_of_texts, strict=True)
            ],
            kept_texts=[each.document.document_id for each in weighed],
            engagement=[_engagement(each.document) for each in spotted if each.has_mentions],
            candidates=[name for each in spotted for name in _candidates(each, toolset)],
        )


def prepare(listed: Sequence[Tool], version: str) -> ToolSet:
    """The names of active tools, also of those that were merged into one."""
    counted = [tool for tool in listed if tools.root_of(tool, listed).is_active and tool.status == "active"]
    names = [
        ToolNames(tool_id=str(tool.tool_number), name=tool.name, aliases=tool.aliases, context_words=tool.context_words)
        for tool in counted
    ]
    keys = (tools.name_key(name) for tool in listed for name in (tool.name, tool.vendor, *tool.aliases))
    return ToolSet(
        version=version,
        matcher=matcher.build(names),
        uncounted=frozenset({tool.tool_number for tool in listed} - {tool.tool_number for tool in counted}),
        known_keys=frozenset(keys),
    )


def _spot(document: MentionSource, toolset: ToolSet, stored: Sequence[StoredMention], rescores: bool) -> Spotted:
    text = mention_texts.text_of(document.title, document.body_text, is_comment=document.is_comment)
    text_hash = mention_texts.text_hash(text)
    found = [
        MentionSpan(tool_number=int(each.tool_id), start=each.start, end=each.end, alias=each.alias)
        for each in toolset.matcher.find(text)
    ]
    known = [
        KnownMention(
            mention_id=each.mention_id,
            tool_number=each.tool_number,
            start=each.start_offset,
            end=each.end_offset,
            text_hash=each.text_hash,
        )
        for each in stored
    ]
    plan = mention_scores.plan(found, known, text_hash=text_hash, rescores=rescores, uncounted=toolset.uncounted)
    return Spotted(document=document, text=text, text_hash=text_hash, unscored=plan.unscored, kept=plan.kept)


def _origin(document: MentionSource) -> TextOrigin:
    subreddit = document.metadata.get("subreddit") or document.source_options.get("subreddit")
    return TextOrigin(
        source_kind=document.source_kind,
        url=document.source_url,
        platform=str(document.metadata.get("platform") or ""),
        subreddits=str(subreddit or ""),
        setting=document.source_options.get("text_kind", "auto"),
    )


def _target(spotted: Spotted, span: MentionSpan) -> SentimentTarget:
    """The mention in the text that it is judged in: of a headline nothing else, or the body would speak for it."""
    document, kind = spotted.document, kinds.kind_of(_origin(spotted.document))
    title = mention_texts.title_of(document.title, document.body_text, is_comment=document.is_comment)
    if span.end <= len(title):
        kind = kinds.kind_of_title(kind)
    text = title if kind == "headline" else spotted.text
    return SentimentTarget(text=text, language=document.language, kind=kind, start=span.start, end=span.end)


def _mention(spotted: Spotted, span: MentionSpan, target: SentimentTarget, score: SentimentScore) -> NewMention:
    first, last = passages.passage_of(target.text, span.start, span.end, target.language)
    compound, confidence = mention_scores.clamped(score)
    return NewMention(
        document_id=spotted.document.document_id,
        text_hash=spotted.text_hash,
        tool_number=span.tool_number,
        start_offset=span.start,
        end_offset=span.end,
        passage_start=min(first, span.start),
        passage_end=max(last, span.end),
        compound=compound,
        confidence=confidence,
        label=LABEL_NUMBERS[score.label],
        alias=span.alias,
        method=score.method,
        version=score.version,
    )


def _candidates(spotted: Spotted, toolset: ToolSet) -> list[CandidateMention]:
    document = spotted.document
    names = tool_candidates.names_in(spotted.text, language=document.language, known=toolset.known_keys)
    return [
        CandidateMention(document_id=document.document_id, event_at=document.event_at, name=name, mentions=count)
        for name, count in names.items()
    ]


def _is_weighed(spotted: Spotted, toolset: ToolSet) -> bool:
    """Whether a text is scored as a whole; a desk that follows no tools pays for no scores."""
    return spotted.has_mentions or (spotted.document.is_comment and not toolset.matcher.is_empty)


def _has_score(spotted: Spotted, scored_texts: Mapping[int, int]) -> bool:
    return scored_texts.get(spotted.document.document_id) == spotted.text_hash


def _whole(spotted: Spotted) -> SentimentTarget:
    document, kind = spotted.document, kinds.kind_of(_origin(spotted.document))
    if not document.body_text:
        kind = kinds.kind_of_title(kind)
    return SentimentTarget(text=spotted.text, language=document.language, kind=kind)


def _document_sentiment(spotted: Spotted, score: SentimentScore) -> DocumentSentiment:
    compound, confidence = mention_scores.clamped(score)
    return DocumentSentiment(
        document_id=spotted.document.document_id,
        text_hash=spotted.text_hash,
        compound=compound,
        confidence=confidence,
        label=LABEL_NUMBERS[score.label],
        method=score.method,
        version=score.version,
    )


def _engagement(document: MentionSource) -> Engagement:
    counts = engagement.counts_of(document.metadata)
    return Engagement(document_id=document.document_id, read_at=document.fetched_at, **asdict(counts))


async def save(conn: Connection, found: FoundMentions, *, asks_model: bool) -> list[Subject]:
    """Store what was found; `asks_model`: a model judges the mentions whose score is unsure."""
    if found.document_ids:
        unsure = await store.replace(conn, found.document_ids, kept=found.kept, new=found.new)
        await store.replace_texts(conn, found.document_ids, kept=found.kept_texts, new=found.new_texts)
        await store.put_engagement(conn, found.engagement)
        await tool_store.put_candidates(conn, found.document_ids, found.candidates)
        if asks_model:
            await briefs.ask(conn, "sentiment", "mention", dict.fromkeys(unsure, ""))
    return []


def stage(embed: Embed, *, asks_model: bool) -> Stage[MentionBatch, FoundMentions]:
    finder = MentionFinder(embed)
    return Stage(
        name=StageName.MENTIONS,
        load=finder.load,
        work=finder.work,
        save=partial(save, asks_model=asks_model),
        batch=BATCH,
    )
