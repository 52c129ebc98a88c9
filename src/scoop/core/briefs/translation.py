"""The brief of a translation: its prompt, the form of the reply, and the checks before it is shown."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from scoop.core import digits, hashes, language, text
from scoop.core.briefs import BadReply, Order, Prompt, SourceText, prompts, replies
from scoop.core.briefs.summary import FOREIGN
from scoop.core.rendering import common

PROMPT_ID = "translation"
MAX_CHARACTERS = 8_000  # of a text: with its translation it fits into the replies of common models; see the how-to
MAX_GROWTH = 6  # times the length of the original: Chinese grows about threefold in English
SHORT_TEXT = 200  # characters: a shorter paragraph may grow more
NAMED_FINDINGS = 8
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["title", "summary", "paragraphs"],
    "properties": {
        "title": {"type": "string"},
        "summary": {"type": "string"},
        "paragraphs": {"type": "array", "items": {"type": "string"}},
    },
}
_LINK = re.compile(r"(?:https?:|www\.)[^\s<>\"'）」】。，、]*", re.IGNORECASE)


class _TranslationReply(msgspec.Struct):
    title: str
    paragraphs: list[str]
    summary: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedTranslation:
    """A translation with as many paragraphs as the part of the text that was sent."""

    title: str
    summary: str
    paragraphs: tuple[str, ...]


def paragraphs_of(body_text: str) -> list[str]:
    """The paragraphs of a text, as the reader view shows them."""
    return [paragraph.strip() for paragraph in body_text.split("\n\n") if paragraph.strip()]


def first_paragraphs(body_text: str) -> list[str]:
    """The whole paragraphs that one translation has room for; a first one that is longer is cut."""
    chosen: list[str] = []
    room = MAX_CHARACTERS
    for paragraph in paragraphs_of(body_text):
        if len(paragraph) > room:
            break
        chosen.append(paragraph)
        room -= len(paragraph)
    return chosen or [text.truncated(paragraph, MAX_CHARACTERS) for paragraph in paragraphs_of(body_text)[:1]]


def text_hash(title: str, body_text: str) -> bytes:
    """A hash of what a translation is made from: it is outdated if another text gives another hash."""
    return hashes.sha256("\0".join((title, *first_paragraphs(body_text))))


def has_text(order: Order) -> bool:
    """Whether there is something to translate, in another language than the one that is asked for."""
    return bool(order.documents) and not is_in(order.documents[0].language, order.language)


def is_in(document_language: str, wanted: str) -> bool:
    """Whether a document is in a language already, whatever the region."""
    return document_language.partition("-")[0] == wanted.partition("-")[0]


def prompt(order: Order, *, finding: str = "") -> Prompt:
    """The prompt of a translation; `finding` is what was wrong with the reply before."""
    document = order.documents[0]
    shown = first_paragraphs(document.body_text)
    numbered = "\n\n".join(f"[{number}] {paragraph}" for number, paragraph in enumerate(shown, 1))
    sent = replace(document, body_text=numbered)
    values = {
        "language_name": prompts.language_name(order.language),
        "from_language_name": prompts.language_name(document.language),
        "count": str(len(shown)),
    }
    return prompts.prompt_about(
        [sent], template=prompts.template(PROMPT_ID), schema=SCHEMA, finding=finding, values=values
    )


def parse(reply: str) -> CheckedTranslation:
    """The parts of a reply; BadReply where it has another form."""
    decoded = replies.decode(reply, _TranslationReply)
    return CheckedTranslation(
        title=common.shown(decoded.title),
        summary=common.shown(decoded.summary),
        paragraphs=tuple(text.readable(paragraph) for paragraph in decoded.paragraphs),
    )


def check(translated: CheckedTranslation, order: Order) -> CheckedTranslation:
    """The translation, if it is faithful as far as a program can see; BadReply says what is not."""
    document = order.documents[0]
    originals = first_paragraphs(document.body_text)
    _check_form(translated, document, originals)
    _check_language(translated, order.language)
    pairs = [
        ("the title", document.title, translated.title),
        ("the summary", document.summary, translated.summary),
        *(
            (f"paragraph {number}", original, paragraph)
            for number, (original, paragraph) in enumerate(zip(originals, translated.paragraphs, strict=True), 1)
        ),
    ]
    findings = [f"{place}: {finding}" for place, one, other in pairs for finding in _differences(one, other)]
    if findings:
        raise BadReply(
            "unfaithful", f"The translation differs from the original. {' '.join(findings[:NAMED_FINDINGS])}"
        )
    return translated


def _check_form(translated: CheckedTranslation, document: SourceText, originals: Sequence[str]) -> None:
    if not translated.title or not all(translated.paragraphs):
        raise BadReply("empty", "The title or a paragraph of the translation is empty.")
    if bool(translated.summary) != bool(document.summary):
        raise BadReply("unfaithful", "Translate the summary if there is one, and only then.")
    if len(translated.paragraphs) != len(originals):
        found = len(translated.paragraphs)
        raise BadReply("unfaithful", f"The translation has {found} paragraphs; the original has {len(originals)}.")


def _check_language(translated: CheckedTranslation, wanted: str) -> None:
    """BadReply if the translation is in another language, or its text still in that of the original."""
    written = language.language(None, " ".join(translated.paragraphs or (translated.title,)))
    if written != language.UNDETERMINED and not is_in(written, wanted):
        raise BadReply(
            "wrong_language",
            f"The translation is in {prompts.language_name(written)}; write it in {prompts.language_name(wanted)}.",
        )


def _differences(original: str, translated: str) -> list[str]:
    """What a program can see that a translation added or lost."""
    findings = []
    if lost := digits.lost_numbers(original, translated):
        findings.append(f"these numbers are missing: {', '.join(lost)}.")
    if added := digits.added_numbers(original, translated):
        findings.append(f"the original does not have these numbers: {', '.join(added)}.")
    if any(link not in original for link in _LINK.findall(translated)):
        findings.append("it has a link that the original does not have.")
    elif any(mark[0] not in original for mark in FOREIGN.finditer(translated)):
        findings.append("it has markup or a mention that the original does not have.")
    if len(translated) > max(SHORT_TEXT, len(original)) * MAX_GROWTH:
        findings.append("it is much longer than the original.")
    return findings
