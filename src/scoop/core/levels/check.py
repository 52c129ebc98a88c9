"""Check a lesson against the rules of its level, and against the text it is made from."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from scoop.core import language
from scoop.core.briefs import SourceText
from scoop.core.levels import facts, grammar, measure, reading, vocabulary
from scoop.core.levels.reading import ReadSentence
from scoop.core.levels.rules import RULES, Level, LevelRules
from scoop.core.support import CitedClaim, verdicts

FindingKind = Literal["language", "form", "length", "sentence_length", "vocabulary", "grammar", "facts", "lost_facts"]

MOST_HARD = 0.1  # of the words
MOST_FORMS = 0.25  # of the sentences may have forms or clauses of a higher level
SHOWN = 8  # words in a finding

_LIST = re.compile(r"^\s*(?:[-*•‣▪–—]|\d{1,2}[.)]|[a-z]\))\s", re.MULTILINE)
_MARKDOWN = re.compile(r"^\s*#{1,6}\s|\*\*|__|^\s*>\s|```|\]\(|^\s*\|.*\|\s*$", re.MULTILINE)
_EMOJI = re.compile("[\u2600-\u27bf\U0001f000-\U0001faff\U0001f1e6-\U0001f1ff]")
_OPINION = re.compile(
    r"\b(?:unfortunately|fortunately|luckily|sadly|hopefully|happily|thankfully|regrettably|surprisingly|shockingly|"
    r"amazing(?:ly)?|incredible|incredibly|wonderful|fantastic|awesome|terrible|terribly|horrible|awful|disgusting|"
    r"in my (?:opinion|view)|i (?:think|believe|feel|hope)|we (?:think|believe|feel|hope|should|must)|obviously|"
    r"of course|"
    r"it is (?:important|good|bad|sad|clear|great) (?:that|to))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenRule:
    """A rule that a lesson breaks, as a sentence for a model or a teacher; `start` to `end` is its place, if any.

    A lesson with a finding that `is_required` must not be stored as it is; the others say how to make it better.
    """

    kind: FindingKind
    message: str
    is_required: bool
    start: int | None = None
    end: int | None = None


def check(lesson: str, level: Level, sources: Sequence[SourceText] = ()) -> tuple[BrokenRule, ...]:
    """What is wrong with a lesson of a level; facts are only checked if there are sources."""
    refusal = _refusal(lesson)
    if refusal:
        return (refusal,)
    sentences, rules = reading.read(lesson), RULES[level]
    return (
        *_forbidden(lesson, sources),
        *_length(sentences, level, rules),
        *_sentence_lengths(lesson, sentences, level, rules),
        *_vocabulary(sentences, level, rules),
        *_grammar(sentences, level, rules),
        *(_facts(lesson, sentences, rules, sources) if sources else ()),
    )


def _refusal(lesson: str) -> BrokenRule | None:
    if not lesson.strip():
        return BrokenRule(kind="form", message="The lesson is empty.", is_required=True)
    detected = language.language(None, lesson)
    if detected not in {"en", language.UNDETERMINED} or not reading.TOKEN.search(lesson):
        return BrokenRule(kind="language", message="The lesson is not in English: write in English.", is_required=True)
    return None


def _forbidden(lesson: str, sources: Sequence[SourceText]) -> Iterator[BrokenRule]:
    """Lists, markup, questions, emoji, a title, and opinions that the sources do not have."""
    for pattern, message in (
        (_LIST, "The lesson has a list: write whole sentences instead."),
        (_MARKDOWN, "The lesson has Markdown: write plain text."),
        (_EMOJI, "The lesson has an emoji: leave it out."),
    ):
        if match := pattern.search(lesson):
            yield BrokenRule(kind="form", message=message, is_required=True, start=match.start(), end=match.end())
    if "?" in lesson:
        at = lesson.index("?")
        yield BrokenRule(
            kind="form",
            message="The lesson has a question: make it a statement.",
            is_required=True,
            start=at,
            end=at + 1,
        )
    yield from _title(lesson)
    yield from _opinions(lesson, sources)


def _title(lesson: str) -> Iterator[BrokenRule]:
    first, _, rest = lesson.strip().partition("\n")
    if rest.strip() and not first.rstrip("\"'”’) ").endswith((".", "!", "?")):
        message = "The lesson begins with a title: begin with the first sentence."
        yield BrokenRule(kind="form", message=message, is_required=True, start=0, end=len(first))


def _opinions(lesson: str, sources: Sequence[SourceText]) -> Iterator[BrokenRule]:
    said = " ".join(source.body_text for source in sources).lower()
    for match in _OPINION.finditer(lesson):
        if match[0].lower() not in said:
            message = f"“{match[0]}” is an opinion: give the facts only."
            yield BrokenRule(kind="form", message=message, is_required=True, start=match.start(), end=match.end())


def _length(sentences: Sequence[ReadSentence], level: Level, rules: LevelRules) -> Iterator[BrokenRule]:
    words = sum(len(sentence.tokens) for sentence in sentences)
    if words < rules.least_words:
        yield BrokenRule(
            kind="length",
            message=f"The lesson has {words} words: {level} needs at least {rules.least_words}.",
            is_required=True,
        )
    elif words > rules.most_words:
        yield BrokenRule(
            kind="length",
            message=f"The lesson has {words} words: {level} has at most {rules.most_words}.",
            is_required=True,
        )


def _sentence_lengths(
    lesson: str, sentences: Sequence[ReadSentence], level: Level, rules: LevelRules
) -> Iterator[BrokenRule]:
    if rules.sentence_words is None or rules.longest_sentence is None:
        return
    low, high = rules.sentence_words
    mean = sum(len(sentence.tokens) for sentence in sentences) / max(1, len(sentences))
    if not low <= mean <= high:
        advice = "write shorter sentences" if mean > high else "join short sentences"
        yield BrokenRule(
            kind="sentence_length",
            message=f"A sentence has {mean:.1f} words on average: {level} has {low} to {high}; {advice}.",
            is_required=True,
        )
    for sentence in sentences:
        if len(sentence.tokens) > rules.longest_sentence:
            yield BrokenRule(
                kind="sentence_length",
                message=f"A sentence has {len(sentence.tokens)} words, and {level} has at most "
                f"{rules.longest_sentence}: split “{shown(lesson[sentence.start : sentence.end])}”",
                is_required=True,
                start=sentence.start,
                end=sentence.end,
            )


def shown(sentence: str) -> str:
    """The beginning of a sentence, on one line."""
    words = sentence.split()
    return " ".join(words[:SHOWN]) + (" …" if len(words) > SHOWN else "")


def _vocabulary(sentences: Sequence[ReadSentence], level: Level, rules: LevelRules) -> Iterator[BrokenRule]:
    words = sum(len(sentence.tokens) for sentence in sentences)
    hard = measure.hard_words(sentences, above=rules.hardest)
    if len(hard) > MOST_HARD * words:
        worst = sorted(hard, key=lambda one: -vocabulary.rank(one.level))
        named = ", ".join(list(dict.fromkeys(f"{one.text} ({one.level})" for one in worst))[:SHOWN])
        message = f"{len(hard)} of {words} words are too hard for {level}: replace or explain {named}."
        yield BrokenRule(kind="vocabulary", message=message, is_required=False)


def _grammar(sentences: Sequence[ReadSentence], level: Level, rules: LevelRules) -> Iterator[BrokenRule]:
    forms = [[one for one in grammar.forms(sentence) if one.form not in rules.forms] for sentence in sentences]
    clauses = [
        [one for one in grammar.clause_words(sentence) if one.word.form not in rules.connectives]
        for sentence in sentences
    ]
    most = MOST_FORMS * len(sentences)
    if sum(map(bool, forms)) > most:
        named = ", ".join(dict.fromkeys(f"{one.token.text} ({one.form})" for some in forms for one in some))
        message = f"{sum(map(bool, forms))} of {len(sentences)} sentences have verb forms beyond {level}: {named}."
        yield BrokenRule(kind="grammar", message=message, is_required=False)
    if sum(map(bool, clauses)) > most:
        named = ", ".join(dict.fromkeys(one.word.form for some in clauses for one in some))
        message = f"{sum(map(bool, clauses))} of {len(sentences)} sentences have clauses beyond {level}: {named}."
        yield BrokenRule(kind="grammar", message=message, is_required=False)


def _facts(
    lesson: str, sentences: Sequence[ReadSentence], rules: LevelRules, sources: Sequence[SourceText]
) -> Iterator[BrokenRule]:
    for token in facts.new(sentences, sources):
        message = f"“{token.text}” is not in the source: leave it out."
        yield BrokenRule(kind="facts", message=message, is_required=True, start=token.start, end=token.end)
    claims = [CitedClaim(text=lesson[one.start : one.end], language="en") for one in sentences]
    for sentence, claim, support in zip(sentences, claims, verdicts.judge(claims, sources), strict=True):
        if not support.is_supported:
            reasons = "; ".join(support.findings)
            yield BrokenRule(
                kind="facts",
                message=f"The source may not say “{shown(claim.text)}”: {reasons}.",
                is_required=False,
                start=sentence.start,
                end=sentence.end,
            )
    lost = facts.lost(lesson, sources)
    if lost.share_kept < rules.kept_facts:
        message = f"Facts of the beginning of the article are missing: {', '.join(lost.facts[:SHOWN])}."
        yield BrokenRule(kind="lost_facts", message=message, is_required=False)
