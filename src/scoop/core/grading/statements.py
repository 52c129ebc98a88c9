"""Statements: the short sentences that a source sentence becomes for a level."""

from calendar import day_name, month_name
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from scoop.core.grading import parts, shortening, split_ranking, splits, substitutes
from scoop.core.grading.clauses import Attribution, Clause, whole, without_capital
from scoop.core.grading.parts import Split
from scoop.core.grading.soundness import QUOTES, SAYING, is_presentable, is_sentence, word_count
from scoop.core.grading.trees import AUXILIARIES, SUBJECTS, VERBS, Tree
from scoop.core.levels import grammar, reading, vocabulary
from scoop.core.levels.rules import RULES, Form, Level

MAX_DEPTH = 6
CALENDAR = frozenset({*day_name, *month_name}) - {""}
PRONOUNS = frozenset({"he", "it", "she", "they"})
PLACES = frozenset({"in", "on", "at", "during"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A sentence of a lesson; `needs` is the place of the statement in the same group that it goes on from.

    `facts` are its names and numbers in small letters, `connectives` the words that begin its clauses. `word_levels`
    are those of all other words.
    """

    text: str
    words: int
    syllables: int
    facts: frozenset[str]
    forms: frozenset[Form]
    connectives: frozenset[str]
    word_levels: tuple[Level, ...]
    needs: int | None = None


@lru_cache(maxsize=1 << 12)
def statement(text: str, needs: int | None = None) -> Statement:
    sentences = reading.read(text)
    tokens = [token for sentence in sentences for token in sentence.tokens]
    named = [one for one in tokens if one.is_name or one.is_number]
    return Statement(
        text=text,
        words=len(tokens),
        syllables=sum(reading.syllables(token.word.form) for token in tokens),
        facts=frozenset(one.text.lower().removesuffix("'s") for one in named),
        forms=frozenset(one.form for sentence in sentences for one in grammar.forms(sentence)),
        connectives=frozenset(one.word.form for sentence in sentences for one in grammar.clause_words(sentence)),
        word_levels=tuple(vocabulary.estimated_level(one.text) for one in tokens if one not in named),
        needs=needs,
    )


def statements(tree: Tree, level: Level, *, is_whole: bool = False) -> list[Statement]:
    """A sentence in statements of the length and words of a level; what does not fit is left out.

    They have the usual length of the level, or, if the sentence `is_whole`, the greatest that is allowed.
    """
    rules = RULES[level]
    if rules.sentence_words is None or rules.longest_sentence is None:
        text = shortening.without_asides(whole(tree)).text
        return [statement(text)] if word_count(text) else []
    start = shortening.without_asides(replace(whole(tree, is_report=True), swaps=easier_words(tree, rules.hardest)))
    start = (_as_report(start) if _is_interrupted(start) else None) or start
    usual = rules.longest_sentence if is_whole else rules.sentence_words[1] - 1
    fitted = _fitted(start, usual, rules.longest_sentence, 0)
    clauses = _sound(fitted, rules.longest_sentence)
    if not clauses or clauses[0].rank:
        return []  # without the main statement the others hang in the air
    return [_statement(one, at) for at, one in enumerate(clauses)]


def _sound(fitted: Iterable[Clause], longest: int) -> list[Clause]:
    """The clauses that are sentences; "This was ..." goes with the one before it."""
    found, is_before_sound = [], False
    for clause in map(_repaired, fitted):
        is_sound = is_sentence(clause) and is_presentable(clause.text, longest)
        if clause.lead[:1] in (("This was",), ("This is",)):
            is_sound = is_sound and is_before_sound
        if is_sound:
            found.append(clause)
        is_before_sound = is_sound
    return found


def easier_words(tree: Tree, hardest: Level) -> dict[int, str]:
    """The easier words for what is too hard, by their places; the words of others stay."""
    quoted = shortening.quoted(whole(tree))
    found = {at: substitutes.replacement(tree, at, hardest) for at in range(len(tree.tokens)) if at not in quoted}
    return {at: word for at, word in found.items() if word}


def _is_interrupted(clause: Clause) -> bool:
    """Whether a sentence says in its middle who says it: "The bridge, she said, is safe."."""
    tokens = clause.tree.tokens
    follower = next((at for at in clause.places if at > clause.head), None)
    return tokens[clause.head].lemma in SAYING and follower is not None and tokens[follower].text == ","


def _repaired(clause: Clause) -> Clause:
    """The clause without a comma that parts its subject from its verb, or a report from what it says."""
    tree, comma = clause.tree, _report_comma(clause)
    if comma is not None:
        return replace(clause, places=tuple(at for at in clause.places if at != comma))
    subject = tree.child(clause.head, *SUBJECTS)
    if subject is None or not clause.has(subject) or clause.lead:
        return clause
    verb = min((at for at in (*tree.children(clause.head, *AUXILIARIES), clause.head) if at > subject), default=subject)
    between = [at for at in clause.places if subject < at < verb and tree.tokens[at].text == ","]
    if len(between) != 1 or tree.child(subject, "conj", "relcl", "appos") in clause.places:
        return clause
    return replace(clause, places=tuple(at for at in clause.places if at not in between))


def _report_comma(clause: Clause) -> int | None:
    """The comma of "He says, it is late", where a clause begins so and goes on in plain words."""
    tokens = clause.tree.tokens
    verb = next((at for at in clause.places if tokens[at].lemma in SAYING), None)
    subject = clause.tree.child(verb, *SUBJECTS) if verb is not None else None
    if verb is None or subject is None or verb + 1 not in clause.places or tokens[verb + 1].text != ",":
        return None
    is_first = all(at in clause.tree.subtree(subject) for at in clause.places if at < verb)
    return verb + 1 if is_first and tokens[min(verb + 2, len(tokens) - 1)].text not in QUOTES else None


def _statement(clause: Clause, at: int) -> Statement:
    return statement(clause.text, needs=at - 1 if clause.rank else None)


def _fitted(clause: Clause, usual: int, most: int, depth: int) -> Iterator[Clause]:
    if _length(clause) <= usual:
        yield clause
        return
    reported = _as_report(clause)
    clause = reported or clause
    best = best_split(clause) if depth < MAX_DEPTH else None
    if best is not None:
        first = list(_fitted(best.first, usual, most, depth + 1))
        second = list(_fitted(best.second, usual, most, depth + 1))
        if _lost_place(best.second, first) or _lost_noun(best.second, first):
            second = []
        # "This was when" must follow what it is about, not what was said after it.
        at = 1 if best.rule == "cause" else len(first)
        yield from (*first[:at], *second, *first[at:])
        return
    shorter = _shortened(clause, usual, most)
    if shorter is not None:
        yield shorter
        yield from _detached(clause, shorter)


def _lost_place(clause: Clause, before: Sequence[Clause]) -> bool:
    """Whether a clause begins with "There", and what is before it has lost the place."""
    place = clause.tree.tokens[clause.head].head
    return clause.lead[:1] == ("There,",) and not any(one.has(place) for one in before)


def _lost_noun(clause: Clause, before: Sequence[Clause]) -> bool:
    """Whether a clause begins with the pronoun for a noun, and what is before it has lost the noun."""
    token = clause.tree.tokens[clause.head]
    is_about_noun = token.dep in ("relcl", "acl", "appos") and clause.lead[:1] and clause.lead[0] in PRONOUNS
    return bool(is_about_noun) and not any(one.has(token.head) for one in before)


def _length(clause: Clause) -> int:
    return word_count(clause.text)


def best_split(clause: Clause) -> Split | None:
    return split_ranking.best(clause, splits.splits(clause))


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
    if tree.tokens[min(inner)].tag in ("WRB", "WP", "WDT"):
        return None  # "revealed how"
    if subject is None or tree.tokens[subject].dep == "expl" or _quotes_speech(clause):
        return None
    if any(tree.is_finite(at) for at in tree.children(subject) if tree.tokens[at].dep not in ("relcl", "acl", "appos")):
        return None  # the parser took a clause for the subject
    who = _subject_words(clause, subject)
    helpers = [tree.tokens[at].text for at in sorted(tree.children(clause.head, *AUXILIARIES)) if at < clause.head]
    if len(helpers) > 1 or any(word.startswith(("'", "’")) for word in helpers):
        return None
    says = (*helpers, verb.text)
    name, _ = parts.mention(tree, subject)
    places = tuple(
        at
        for at in clause.places
        if at in inner and not (tree.tokens[at].dep == "mark" and tree.tokens[at].head == said)
    )
    places = _opened(tree, places)
    if not places:
        return None
    report = Attribution(words=(*who, *says, "that"), again=(name, *says, "that"))
    opening = {places[0]: without_capital(tree.tokens[places[0]])}
    return replace(clause, places=places, head=said, report=report, swaps={**opening, **clause.swaps})


def _opened(tree: Tree, places: tuple[int, ...]) -> tuple[int, ...]:
    """The places without marks and a "that" before them, which the parser may have joined to another verb."""
    while places and (
        tree.tokens[places[0]].pos == "PUNCT"
        or (tree.tokens[places[0]].dep == "mark" and tree.tokens[places[0]].text.lower() == "that")
    ):
        places = places[1:]
    return places


def _subject_words(clause: Clause, subject: int) -> tuple[str, ...]:
    """The words of a subject without what is set off in it."""
    tree = clause.tree
    part = tree.subtree(subject) & set(clause.places)
    for child in tree.children(subject, "appos", "relcl", "acl"):
        part -= tree.subtree(child)
    places = tuple(at for at in sorted(part))
    text = replace(clause, places=places, lead=(), swaps={}, tails={}).text.removesuffix(".").strip(" ,")
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


def _detached(clause: Clause, shorter: Clause) -> Iterator[Clause]:
    """Times and places with names or numbers that a shorter clause lost: This was in 2008."""
    tree = clause.tree
    if not tree.is_past(clause.head) or tree.child(clause.head, "neg") is not None or clause.report:
        return
    if tree.tokens[clause.head].lemma in SAYING:
        return
    for at in tree.children(clause.head, "prep"):
        if clause.has(at) and not shorter.has(at) and _is_time_or_place(tree, at):
            places = tuple(one for one in clause.places if one in tree.subtree(at))
            swaps = {at: tree.tokens[at].text.lower()}
            yield replace(clause, places=places, head=at, lead=("This was",), swaps=swaps, rank=clause.rank + 1)
            return


def _is_time_or_place(tree: Tree, at: int) -> bool:
    """Whether a phrase says when or where by a name or number; "on" only of days: not "lifted the ban on the party"."""
    part = [tree.tokens[one] for one in tree.subtree(at)]
    word = tree.tokens[at].text.lower()
    has_fact = any(one.pos in ("PROPN", "NUM") for one in part)
    is_day = word != "on" or any(one.text in CALENDAR for one in part)
    is_of_name = at > 1 and tree.tokens[at - 1].text == "," and tree.tokens[at - 2].pos == "PROPN"  # "Mingora, in Swat"
    is_plain = not is_of_name and not any(one.pos in VERBS or one.text.lower() == "order" for one in part)
    return word in PLACES and has_fact and is_day and is_plain
