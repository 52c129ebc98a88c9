"""Summaries: which are asked for ahead, and how the stage `write` makes and stores them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from scoop import metrics
from scoop.core import disclaimers
from scoop.core.briefs import Order, summary
from scoop.core.briefs.summary import CheckedSummary
from scoop.core.support import Embed
from scoop.model import Citation, DocumentsAhead
from scoop.stages.judging import JudgedKind
from scoop.stages.texts import TextKind, Written
from scoop.store import briefs, summaries
from scoop.store.db import Connection
from scoop.store.model_calls import ClosedCall
from scoop.store.summaries import NewSummary

AHEAD_FOR = timedelta(days=3)  # an older event gets a summary when somebody asks
MOST_AT_ONCE = 400
NEW_FOR = timedelta(days=2)  # the list of articles has those of two days; an older one is summarised on demand
DISCLAIMERS = {"local": "extract"}  # by provider; everything else is generated
NO_CALL = ClosedCall(call_id=0, outcome="accepted")  # of a writer that costs nothing

KINDS_AHEAD: Mapping[DocumentsAhead, Sequence[str] | None] = {
    "sites": ("site",),
    "all": None,
    "none": (),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryPolicy:
    """What is summarised before anybody asks, and in which language (empty: that of the sources).

    Events are, if `min_publishers` report them, or if a digest will have them; none, if it is 0.
    """

    language: str = ""
    language_by_collection: Mapping[str, str] = field(default_factory=dict)
    min_publishers: int = 2
    documents: DocumentsAhead = "sites"

    @property
    def languages(self) -> list[str]:
        """The languages in which documents are summarised, that of most collections first; last that of the sources."""
        return list(dict.fromkeys([self.language, *self.language_by_collection.values(), ""]))

    def language_of(self, collection: str | None) -> str:
        return self.language_by_collection.get(collection or "", self.language)

    def languages_of(self, subjects: Iterable[tuple[int, str]]) -> dict[int, str]:
        """The language of each subject, by its collection."""
        return {subject_id: self.language_of(collection) for subject_id, collection in subjects}


NOTHING_AHEAD = SummaryPolicy(min_publishers=0, documents="none")


async def ask_ahead(conn: Connection, policy: SummaryPolicy, *, now: datetime) -> None:
    """Ask for summaries of the events that enough publishers report, and of those that digests will have."""
    if not policy.min_publishers:
        return
    async with conn.transaction():
        due = await briefs.list_due_events(
            conn,
            since=now - AHEAD_FOR,
            min_families=policy.min_publishers,
            language=policy.language,
            language_by_collection=policy.language_by_collection,
            limit=MOST_AT_ONCE,
        )
        await _ask_about_events(conn, due)


async def ask_about_events(conn: Connection, policy: SummaryPolicy, story_ids: Sequence[int]) -> None:
    """Ask for summaries of the events of regrouped stories, inside the caller's transaction."""
    if not policy.min_publishers or not story_ids:
        return
    due = await briefs.list_due_events_of_stories(
        conn,
        story_ids,
        min_families=policy.min_publishers,
        language=policy.language,
        language_by_collection=policy.language_by_collection,
    )
    await _ask_about_events(conn, due)


async def _ask_about_events(conn: Connection, due: Sequence[tuple[int, str]]) -> None:
    """Ask for summaries of events, each in its languages."""
    events_by_language: defaultdict[str, list[int]] = defaultdict(list)
    for event_id, language in due:
        events_by_language[language].append(event_id)
    for language, event_ids in events_by_language.items():
        await briefs.ask(conn, "summary", "event", dict.fromkeys(event_ids, language))


async def ask_about_documents(conn: Connection, policy: SummaryPolicy, document_ids: Sequence[int]) -> None:
    """Ask for summaries of those documents of the last days that the policy names, inside the caller's transaction."""
    kinds = KINDS_AHEAD[policy.documents]
    if kinds == () or not document_ids:
        return
    due = await briefs.list_documents_of_kinds(conn, document_ids, kinds, max_age=NEW_FOR)
    await briefs.ask(conn, "summary", "document", policy.languages_of(due))


def text_kind(policy: SummaryPolicy) -> TextKind:
    """Summaries as a kind of text of the stage `write`."""

    async def save(conn: Connection, written: Sequence[Written]) -> None:
        kept = await _list_kept(conn, [_new_summary(each, policy) for each in written if each.is_fallback])
        made = [summary for each in written if (summary := _new_summary(each, policy)).brief_id not in kept]
        await summaries.put(conn, made)
        for sentence in (sentence for each in made for sentence in each.left_out):
            metrics.LEFT_OUT.add(kind=sentence.kind)

    return TextKind(
        prompt=lambda order, finding: summary.prompt(order, finding=finding),
        has_material=lambda order: summary.has_text(order.documents),
        read=_read,
        save=save,
        known_inputs=summaries.list_known_inputs,
        judged=JudgedKind(find_open=_find_open, read=_read),
        replaced_for=AHEAD_FOR,
    )


async def _list_kept(conn: Connection, fallbacks: Sequence[NewSummary]) -> set[int]:
    """The briefs whose summary by a model is kept: the fallback wrote in another language than was asked for."""
    foreign = [each for each in fallbacks if each.asked_language.partition("-")[0] not in {"", each.language}]
    generated = await summaries.list_generated(conn, foreign)
    return {each.brief_id for each in foreign if (each.subject_kind, each.subject_id, each.asked_language) in generated}


def _read(
    reply: str, order: Order, embed: Embed | None, confirmed: Mapping[str, Citation] = summary.NOT_CONFIRMED
) -> CheckedSummary:
    return summary.check(summary.parse(reply, order), order, embed=embed, confirmed=confirmed)


def _find_open(reply: str, order: Order, embed: Embed | None) -> Sequence[str]:
    return summary.find_open(summary.parse(reply, order), order, embed=embed)


def _new_summary(written: Written, policy: SummaryPolicy) -> NewSummary:
    checked: CheckedSummary = written.text
    brief, call, provider = written.brief, written.call or NO_CALL, written.writer.provider
    cited = {citation.document_id for sentence in checked.sentences for citation in sentence.citations}
    return NewSummary(
        brief_id=brief.brief_id,
        subject_kind="event" if brief.subject_kind == "event" else "document",
        subject_id=brief.subject_id,
        language=checked.language,
        asked_language=brief.language,
        summary_text=checked.summary_text,
        sentences=checked.sentences,
        left_out=checked.left_out,
        document_ids=tuple(each.document_id for each in written.order.documents if each.document_id in cited),
        confidence=checked.confidence,
        provider=provider,
        model=written.model,
        prompt_id=written.prompt.prompt_id,
        prompt_version=written.prompt.prompt_version,
        disclaimer_id=DISCLAIMERS.get(provider, disclaimers.GENERATED),
        input_hash=written.input_hash,
        is_shown_in_lists=brief.language == policy.language_of(brief.collection),
        input_tokens=call.input_tokens,
        output_tokens=call.output_tokens,
        cost=call.cost,
        currency=call.currency,
        prompt_key=call.prompt_key,
        response_key=call.response_key,
    )
