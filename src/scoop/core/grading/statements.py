"""Statements: the short sentences that a source sentence becomes for a level."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from scoop.core.grading import parts, shortening, splits, substitutes, words
from scoop.core.grading.clauses import Attribution, Clause, render, whole
from scoop.core.grading.parts import Split
from scoop.core.grading.trees import AUXILIARIES, SUBJECTS, VERBS, Tree
from scoop.core.levels import reading
from scoop.core.levels.rules import RULES, Level

SAYING = words.words("saying")
BALANCE = 3.0  # for halves of equal length, against the preference of a rule
PREFERENCE = {
    "clauses": 3.0,
    "mark": 3.0,
    "verbs": 2.5,
    "relative": 2.5,
    "participle": 2.0,
    "contrast": 2.0,
    "apposition": 1.0,
    "age": 4.0,
}
MAX_DEPTH = 6
MIN_WORDS = 3
PLACES = frozenset({"in", "on", "at", "during"})


# A capital and a full stop that is no abbreviation's: readers, and programs that count sentences, must see the ends.
_ENDS = re.compile(
    r"[A-Z0-9\"].*(?<!\b[A-Z])(?<!\b(?:St|Co|Dr|Mr|Jr|Sr|No|vs))(?<!\b(?:Inc|Ltd|etc|Mrs))[.!][\"')]*", re.DOTALL
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A sentence of a lesson; `needs` is the place of the statement in the same group that it goes on from."""

    text: str
    words: int
    syllables: int
    facts: frozenset[str]
    needs: int | None = None


def statement(text: str, needs: int | None = None) -> Statement:
    words, syllables, named = _measured(text)
    return Statement(text=text, words=words, syllables=syllables, facts=named, needs=needs)


@lru_cache(maxsize=1 << 12)
def _measured(text: str) -> tuple[int, int, frozenset[str]]:
    """The words, the syllables, and the names and numbers of a sentence."""
    tokens = [token for sentence in reading.read(text) for token in sentence.tokens]
    named = frozenset(one.text.lower().removesuffix("'s") for one in tokens if one.is_name or one.is_number)
    return len(tokens), sum(reading.syllables(token.word.form) for token in tokens), named


def facts(text: str) -> frozenset[str]:
    """The names and numbers of a sentence, in small letters."""
    return _measured(text)[2]


def word_count(text: str) -> int:
    return sum(1 for _ in reading.TOKEN.finditer(text))


def statements(tree: Tree, level: Level, *, hint: str | None = None) -> list[Statement]:
    """A sentence in statements of the length and words of a level; what does not fit is left out."""
    rules = RULES[level]
    if rules.sentence_words is None or rules.longest_sentence is None:
        text = render(shortening.without_asides(whole(tree)))
        return [statement(text)] if word_count(text) else []
    start = shortening.without_asides(replace(whole(tree), swaps=easier_words(tree, rules.hardest)))
    start = (_as_report(start) if _is_interrupted(start) else None) or start
    fitted = _fitted(start, rules.sentence_words[1] - 1, rules.longest_sentence, hint, 0)
    clauses = [
        one for one in map(_repaired, fitted) if _is_whole(one) and _is_shown(render(one), rules.longest_sentence)
    ]
    if not clauses or clauses[0].rank:
        return []  # without the main statement the others hang in the air
    return [_statement(one, at) for at, one in enumerate(clauses)]


def reworded(tree: Tree, level: Level) -> str:
    """A sentence in easier words, and as two if it can be split; nothing is left out."""
    clause = replace(shortening.without_asides(whole(tree)), swaps=easier_words(tree, RULES[level].hardest))
    best = best_split(clause, None)
    return render(clause) if best is None else f"{render(best.first)} {render(best.second)}"


def easier_words(tree: Tree, hardest: Level) -> dict[int, str]:
    """The easier words for what is too hard, by their places; the words of others stay."""
    quoted = shortening.quoted(whole(tree))
    found = {at: substitutes.replacement(tree, at, hardest) for at in range(len(tree.tokens)) if at not in quoted}
    return {at: word for at, word in found.items() if word}


def _is_shown(text: str, most: int) -> bool:
    return _ENDS.fullmatch(text) is not None and MIN_WORDS <= word_count(text) <= most


def _is_interrupted(clause: Clause) -> bool:
    """Whether a sentence says in its middle who says it: "The bridge, she said, is safe."."""
    tokens = clause.tree.tokens
    follower = next((at for at in clause.places if at > clause.head), None)
    return tokens[clause.head].lemma in SAYING and follower is not None and tokens[follower].text == ","


def _repaired(clause: Clause) -> Clause:
    """The clause without a comma that parts its subject from its verb."""
    tree = clause.tree
    subject = tree.child(clause.head, *SUBJECTS)
    if subject is None or not clause.has(subject) or clause.lead:
        return clause
    verb = min((at for at in (*tree.children(clause.head, *AUXILIARIES), clause.head) if at > subject), default=subject)
    between = [at for at in clause.places if subject < at < verb and tree.tokens[at].text == ","]
    if len(between) != 1 or tree.child(subject, "conj", "relcl", "appos") in clause.places:
        return clause
    return replace(clause, places=tuple(at for at in clause.places if at not in between))


def _statement(clause: Clause, at: int) -> Statement:
    return statement(render(clause), needs=at - 1 if clause.rank else None)


def _fitted(clause: Clause, usual: int, most: int, hint: str | None, depth: int) -> Iterator[Clause]:
    if _length(clause) <= usual:
        yield clause
        return
    reported = _as_report(clause)
    clause = reported or clause
    best = best_split(clause, hint) if depth < MAX_DEPTH else None
    if best is not None:
        for part in (best.first, best.second):
            yield from _fitted(part, usual, most, hint, depth + 1)
        return
    shorter = _shortened(clause, usual, most)
    if shorter is not None:
        yield shorter
        yield from _detached(clause, shorter)


def _is_whole(clause: Clause) -> bool:
    """Whether a clause has its subject and a verb with a tense, and the quotations that open in it close."""
    tree = clause.tree
    marks = sum(tree.tokens[at].text in QUOTES for at in clause.places)
    subject = tree.child(clause.head, *SUBJECTS)
    has_subject = bool(clause.lead) or (subject is not None and clause.has(subject))
    is_finite = bool(clause.lead) or tree.is_finite(clause.head)
    return marks % 2 == 0 and has_subject and is_finite and not _is_empty_report(clause) and not _is_dependent(clause)


def _is_empty_report(clause: Clause) -> bool:
    """Whether somebody says nothing: "In an interview, he said."."""
    tree = clause.tree
    if tree.tokens[clause.head].lemma not in SAYING or clause.report:
        return False
    return not any(
        at in clause.places
        for at in tree.children(clause.head, "ccomp", "dobj", "xcomp", "parataxis", "oprd", "dative", "prt")
    )


def _is_dependent(clause: Clause) -> bool:
    """Whether a clause begins like half a sentence: "So that", "Which"."""
    if not clause.places or clause.lead or clause.report:
        return False
    first = clause.tree.tokens[clause.places[0]]
    is_marked = first.dep == "mark" and first.head == clause.head
    is_inverted = first.pos in VERBS and first.tag != "VBG" and clause.tree.child(clause.head, "expl") is None
    return is_marked or is_inverted or first.tag in ("WDT", "WP", "WP$", "CC") or first.text in (")", ";", ":")


def _length(clause: Clause) -> int:
    return word_count(render(clause))


def best_split(clause: Clause, hint: str | None) -> Split | None:
    found = splits.splits(clause, hint)
    size = max(1, len(clause.places))
    return max(
        found,
        key=lambda one: PREFERENCE[one.rule] + BALANCE * min(len(one.first.places), len(one.second.places)) / size,
        default=None,
    )


def _shortened(clause: Clause, usual: int, most: int) -> Clause | None:
    """The clause without parts until it is short enough, names and numbers last; None if it stays too long."""
    for is_urgent in (False, True):
        limit = most if is_urgent else usual
        for part in shortening.droppable(clause):
            if _length(clause) <= limit:
                break
            part &= set(clause.places)
            has_fact = any(clause.tree.tokens[at].pos in ("PROPN", "NUM") for at in part)
            if part and (is_urgent or not has_fact):
                clause = shortening.drop(clause, part)
    return clause if _length(clause) <= most else None


def _as_report(clause: Clause) -> Clause | None:
    """What somebody says as the clause, and who says it before it: what is said can then be split."""
    tree = clause.tree
    verb = tree.tokens[clause.head]
    said = next((at for at in tree.children(clause.head, "ccomp") if clause.has(at) and tree.is_finite(at)), None)
    if (
        verb.lemma not in SAYING
        or said is None
        or clause.report
        or clause.lead
        or tree.child(clause.head, "neg", "dobj", "conj")
    ):
        return None
    subject = tree.child(clause.head, *SUBJECTS)
    inner = tree.subtree(said)
    if subject is None or tree.tokens[subject].dep == "expl" or _quotes_speech(clause):
        return None
    who = _subject_words(clause, subject)
    helpers = [tree.tokens[at].text for at in sorted(tree.children(clause.head, *AUXILIARIES)) if at < clause.head]
    if len(helpers) > 1 or any(word.startswith(("'", "’")) for word in helpers):
        return None
    says = (*helpers, verb.text)
    name, _ = parts.mention(tree, subject, None)
    places = tuple(
        at
        for at in clause.places
        if at in inner and not (tree.tokens[at].dep == "mark" and tree.tokens[at].head == said)
    )
    places = _opened(tree, places)
    if not places:
        return None
    report = Attribution(words=(*who, *says, "that"), again=(name, *says, "that"))
    opening = {}
    first = places[0]
    token = tree.tokens[first]
    if token.text[0].isupper() and token.pos not in ("PROPN", "NUM") and token.text != "I":
        opening = {first: token.text[0].lower() + token.text[1:]}
    return replace(clause, places=places, head=said, report=report, swaps={**clause.swaps, **opening})


def _opened(tree: Tree, places: tuple[int, ...]) -> tuple[int, ...]:
    while places and tree.tokens[places[0]].pos == "PUNCT":
        places = places[1:]
    return places


def _subject_words(clause: Clause, subject: int) -> tuple[str, ...]:
    """The words of a subject without what is set off in it."""
    tree = clause.tree
    part = tree.subtree(subject) & set(clause.places)
    for child in tree.children(subject, "appos", "relcl", "acl"):
        part -= tree.subtree(child)
    places = tuple(at for at in sorted(part))
    text = render(replace(clause, places=places, lead=(), swaps={}, tails={})).removesuffix(".").strip(" ,")
    first = tree.tokens[places[0]]
    is_name = first.pos in ("PROPN", "NUM") or first.text == "I"
    return (text if is_name else text[:1].lower() + text[1:],)


def _quotes_speech(clause: Clause) -> bool:
    """Whether a quotation speaks for itself: it opens the sentence, or says I or we."""
    tokens = [clause.tree.tokens[at] for at in clause.places]
    has_marks = any(token.text in QUOTES for token in tokens)
    return has_marks and (
        tokens[0].text in QUOTES
        or any(token.text.lower() in ("i", "we", "you", "my", "our", "me", "us") for token in tokens)
    )


QUOTES = frozenset({'"', "“", "”", "''", "``"})


def _detached(clause: Clause, shorter: Clause) -> Iterator[Clause]:
    """Times and places with names or numbers that a shorter clause lost: This was in 2008."""
    tree = clause.tree
    if not tree.is_past(clause.head) or tree.child(clause.head, "neg") is not None or clause.report:
        return
    if tree.tokens[clause.head].lemma in SAYING:
        return
    for at in tree.children(clause.head, "prep"):
        part = tree.subtree(at)
        token = tree.tokens[at]
        lost = clause.has(at) and not shorter.has(at)
        if (
            not lost
            or token.text.lower() not in PLACES
            or not any(tree.tokens[one].pos in ("PROPN", "NUM") for one in part)
        ):
            continue
        if any(tree.tokens[one].pos in VERBS or tree.tokens[one].text.lower() == "order" for one in part):
            continue
        places = tuple(one for one in clause.places if one in part)
        yield replace(
            clause, places=places, head=at, lead=("This was",), swaps={at: token.text.lower()}, rank=clause.rank + 1
        )
