"""Translations as a kind of text of the stage `write`: how they are made and stored."""

from collections.abc import Sequence

from scoop.core.briefs import Order, translation
from scoop.core.briefs.translation import CheckedTranslation
from scoop.core.support import Embed
from scoop.stages.texts import TextKind, Written
from scoop.store import translations
from scoop.store.db import Connection
from scoop.store.model_calls import ClosedCall
from scoop.store.translations import NewTranslation


def text_kind() -> TextKind:
    return TextKind(
        prompt=lambda order, finding: translation.prompt(order, finding=finding),
        has_material=translation.has_text,
        read=_read,
        save=_save,
        known_inputs=translations.list_known_inputs,
    )


def _read(reply: str, order: Order, _embed: Embed | None) -> CheckedTranslation:
    return translation.check(translation.parse(reply), order)


async def _save(conn: Connection, written: Sequence[Written]) -> None:
    await translations.put(conn, [_new_translation(each) for each in written])


def _new_translation(written: Written) -> NewTranslation:
    checked: CheckedTranslation = written.text
    document, call = written.order.documents[0], written.call or ClosedCall(call_id=0, outcome="accepted")
    return NewTranslation(
        brief_id=written.brief.brief_id,
        document_id=document.document_id,
        language=written.brief.language,
        from_language=document.language,
        title=checked.title,
        summary=checked.summary,
        paragraphs=checked.paragraphs,
        paragraph_count=len(translation.paragraphs_of(document.body_text)),
        text_hash=translation.text_hash(document.title, document.body_text),
        provider=written.writer.provider,
        model=written.model,
        prompt_id=written.prompt.prompt_id,
        prompt_version=written.prompt.prompt_version,
        input_hash=written.input_hash,
        input_tokens=call.input_tokens,
        output_tokens=call.output_tokens,
        cost=call.cost,
        currency=call.currency,
        prompt_key=call.prompt_key,
        response_key=call.response_key,
    )
