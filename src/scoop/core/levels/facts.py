"""The names and numbers of the lead of an article, and those that a lesson loses."""

from collections.abc import Sequence
from dataclasses import dataclass

from scoop.core.briefs import SourceText
from scoop.core.levels import reading
from scoop.core.levels.reading import ReadSentence, WordToken

LEAD = 2  # sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class LostFacts:
    """The names and numbers of a lead that a lesson has not, and the share of those it has."""

    facts: tuple[str, ...]
    share_kept: float


def lost(lesson: str, sources: Sequence[SourceText]) -> LostFacts:
    facts = lead_facts(sources[0].body_text) if sources else ()
    said = {match[0].lower() for match in reading.TOKEN.finditer(lesson)}
    missing = tuple(fact for fact in facts if fact.lower() not in said)
    return LostFacts(facts=missing, share_kept=1 - len(missing) / len(facts) if facts else 1.0)


def lead_facts(body: str) -> tuple[str, ...]:
    """The names and numbers of the first sentences."""
    tokens = [token for sentence in reading.read(body)[:LEAD] for token in sentence.tokens]
    return tuple(dict.fromkeys(token.text for token in tokens if token.is_name or token.is_number))


def new(sentences: Sequence[ReadSentence], sources: Sequence[SourceText]) -> list[WordToken]:
    """The names and numbers of a lesson that no source has in its title or text."""
    said = {match[0].lower() for one in sources for match in reading.TOKEN.finditer(f"{one.title}\n{one.body_text}")}
    known = {_stem(word) for word in said}
    return [
        token
        for sentence in sentences
        for token in sentence.tokens
        if (token.is_name or token.is_number) and _stem(token.text.lower()) not in known
    ]


def _stem(word: str) -> str:
    return word.replace("’", "'").removesuffix("'s").removesuffix("s").replace(",", "")
