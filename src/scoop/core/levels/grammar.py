"""The forms of verbs and the clauses of a sentence, by the words and their order alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from scoop.core.levels import vocabulary
from scoop.core.levels.reading import ReadSentence, WordToken
from scoop.core.levels.rules import CLAUSE_WORDS, Form

BE = frozenset({"am", "is", "are", "was", "were", "be", "been", "being", "isn't", "aren't", "wasn't", "weren't"})
HAVE = frozenset({"have", "has", "had", "haven't", "hasn't", "hadn't"})
_PAST_AUXILIARIES = frozenset({"was", "were", "did", "had", "wasn't", "weren't", "didn't", "hadn't"})
_FUTURE = frozenset({"will", "won't", "shall"})
_MODALS = frozenset(
    "could couldn't would wouldn't should shouldn't may might must mustn't".split()  # noqa: SIM905
)
_BEFORE_NOUN = frozenset(
    """
    a an the this these those its his her their our my your of in on at with for by from no some any more most very
    """.split()  # noqa: SIM905
)
_BETWEEN = frozenset("not also now still already never always often only just being been".split())  # noqa: SIM905
MEASURED = 128  # sentences of a text, whose forms are counted as a feature and named in the reasons
_REACH = 3  # words between an auxiliary and its verb


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundForm:
    """A form of the verb in a sentence, at its last word."""

    form: Form
    token: WordToken


@lru_cache(maxsize=MEASURED)
def forms(sentence: ReadSentence) -> tuple[FoundForm, ...]:
    """The forms beyond the present; what may be an adjective is left out."""
    return tuple(_forms(sentence.tokens))


def _forms(tokens: Sequence[WordToken]) -> Iterator[FoundForm]:
    for at, token in enumerate(tokens):
        form = _form(tokens, at)
        if form:
            yield FoundForm(form=form, token=token)


def _form(tokens: Sequence[WordToken], at: int) -> Form | None:
    written = tokens[at].word.form
    if written in _FUTURE:
        return "future"
    if written in _MODALS and not tokens[at].is_name:
        return "modal"
    if is_past_form(tokens[at]):
        return _of_past_form(tokens, at)
    return "past" if written in _PAST_AUXILIARIES else None


def _of_past_form(tokens: Sequence[WordToken], at: int) -> Form | None:
    """What a form such as `closed` or `seen` is in its place."""
    auxiliary = _auxiliary(tokens, at)
    if auxiliary in HAVE:
        return "perfect"
    if auxiliary in BE:
        return "passive"
    return None if at == 0 or tokens[at - 1].word.form in _BEFORE_NOUN else "past"


def _auxiliary(tokens: Sequence[WordToken], at: int) -> str:
    """The form of be or have before a participle, with adverbs between; empty if there is none."""
    for back in range(1, min(_REACH, at) + 1):
        before = tokens[at - back].word
        if before.form in BE | HAVE and before.form not in _BETWEEN:
            return before.form
        if before.form not in _BETWEEN and not before.form.endswith("ly"):
            return ""
    return ""


def is_past_form(token: WordToken) -> bool:
    """Whether it is the past or the past participle of a verb: it ends in -ed, or is irregular."""
    if token.is_name or token.is_number or token.word.form in BE | HAVE:
        return False
    return _has_past(token.word.form)


@lru_cache(maxsize=1 << 14)
def _has_past(form: str) -> bool:
    senses = vocabulary.look_up(form).senses
    verbs = [sense for sense in senses if sense.word_class == "verb" and sense.lemma != form]
    return bool(verbs) and not form.endswith(("s", "ing"))


@lru_cache(maxsize=MEASURED)
def clause_words(sentence: ReadSentence) -> tuple[WordToken, ...]:
    """The words that begin a dependent clause."""
    return tuple(
        token
        for at, token in enumerate(sentence.tokens)
        if token.word.form in CLAUSE_WORDS and not token.is_name and not _is_other_use(sentence.tokens, at)
    )


def _is_other_use(tokens: Sequence[WordToken], at: int) -> bool:
    """Whether a word such as `that`, `before` or `as` begins no clause here: no verb follows in reach."""
    form = tokens[at].word.form
    if form == "that":
        return at == 0
    if form in {"before", "after", "until", "since", "as"}:
        return not any(_may_be_verb(token) for token in tokens[at + 2 : at + 5])
    return False


def _may_be_verb(token: WordToken) -> bool:
    return token.word.form in BE | HAVE or is_past_form(token)
