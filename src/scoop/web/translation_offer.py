"""The translation of a document that a page offers to a reader of another language."""

from dataclasses import dataclass
from uuid import UUID

from scoop.actions import translations as actions
from scoop.core.briefs import prompts, translation
from scoop.http.deps import Desk
from scoop.store.translations import Translation
from scoop.web import labels


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslationOffer:
    """`title` is that of the current translation, empty if there is none; `href` leads to it, beside the original.

    `action` is where one is asked for, `languages` are those to choose from.
    """

    title: str
    preferred: str
    href: str
    action: str
    languages: dict[str, str]
    has_writer: bool


def offer(
    desk: Desk,
    *,
    story_uuid: UUID,
    document_id: int,
    language: str,
    preferred: str,
    made: Translation | None,
    text_hash: str | None,
) -> TranslationOffer | None:
    """What to offer to a reader of `preferred`; None if the document is in that language, or none is known.

    `text_hash` is that of the text, None if only a part of it was read.
    """
    wanted = prompts.asked_language(preferred)
    if wanted is None or translation.is_in(language, wanted):
        return None
    path = f"/stories/{story_uuid}/read/{document_id}"
    is_current = made is not None and text_hash in {None, made.text_hash}
    return TranslationOffer(
        title=made.title if made is not None and is_current else "",
        preferred=wanted,
        href=f"{path}?language={wanted}",
        action=f"{path}/translate",
        languages=languages_for(language),
        has_writer=actions.has_writer(desk.config.tasks),
    )


def languages_for(language: str) -> dict[str, str]:
    """The languages into which a document of this language is translated, by their names."""
    names = {code: labels.language_name(code) for code in prompts.LANGUAGE_NAMES}
    chosen = {code: name for code, name in names.items() if not translation.is_in(language, code)}
    return dict(sorted(chosen.items(), key=lambda each: each[1]))
