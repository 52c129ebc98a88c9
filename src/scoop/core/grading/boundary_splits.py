"""Splits at boundaries: a mark or a link with a clause on either side, whatever the parser joined across it."""

from collections.abc import Container, Iterator
from dataclasses import replace

from scoop.core.grading import mentions, parts
from scoop.core.grading.clauses import Clause
from scoop.core.grading.inflection import inflected
from scoop.core.grading.parts import Split
from scoop.core.grading.trees import SUBJECTS, VERBS, ParsedToken, Tree

MARKS = frozenset({";", "--", "–", "—", ":", ","})
LINKS = frozenset({"and", "but", "so", "yet"})
CONTRASTS = frozenset({"although", "though", "whereas", "while"})
OPENERS = frozenset({"however", "therefore", "it", "he", "she", "they"})
"""Words that begin a sentence where a writer forgot the full stop."""
PLACES = frozenset({"at", "between", "in", "near", "on", "within"})
_BRACKETS = {"(": 1, "[": 1, ")": -1, "]": -1}
_WH = frozenset({"WDT", "WP", "WP$", "WRB"})
_TENSED = frozenset({"VBD", "VBZ", "VBP", "MD"})
_NEVER_LAST = _WH | {"CC", "DT", "IN", "TO"}
_NEVER_FIRST = _WH | {"CC", "TO", "VB", "POS"}


def cuts(clause: Clause) -> Iterator[Split]:
    """The band broke up, after that she sang alone: The band broke up. After that she sang alone."""
    tree = clause.tree
    for at in range(1, len(clause.places)):
        if not _is_boundary(clause, at):
            continue
        left, right, opening = _halves(clause, at)
        if not right or tree.tokens[right[0]].pos == "PUNCT":
            continue
        verb, other, loose = clause_head(tree, left), clause_head(tree, right), _loose_head(tree, right)
        if tree.tokens[right[0]].tag not in _NEVER_FIRST and (verb or _loose_head(tree, left)) and (other or loose):
            head = verb if verb is not None else clause.head
            yield Split(
                rule="cut" if verb and other else "loose_cut",
                first=replace(clause, places=left, head=head),
                second=parts.taken_out(clause, right, other if other is not None else loose or 0, opening),
            )
        if verb is None:
            continue
        first = replace(clause, places=left, head=verb)
        phrase, right = parts.fronted(clause, right)
        for predicate, lead in _predicates(clause, right, verb):
            second = parts.taken_out(clause, right, predicate, (*opening, *phrase, *lead))
            yield Split(rule="predicate", first=first, second=second)


def _halves(clause: Clause, at: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[str, ...]]:
    """The places before and after a boundary without its marks and link, and "But" for a contrast."""
    tokens = clause.tree.tokens
    left, right = clause.places[:at], clause.places[at:]
    word = tokens[right[0]].text.lower()
    is_contrast = word in CONTRASTS and tokens[right[0]].dep == "mark"
    if is_contrast or (word in LINKS and tokens[right[0]].pos != "ADV"):
        right = right[1:]
    while right and tokens[right[0]].text == ",":
        right = right[1:]
    return left, right, _OPENINGS.get(word, ())


_OPENINGS = {"but": ("But",), "yet": ("But",), "although": ("However,",), "though": ("However,",)}


def _is_boundary(clause: Clause, at: int) -> bool:
    """Whether a place follows a mark, is a link without one, or opens a sentence."""
    tree, place = clause.tree, clause.places[at]
    if parts.is_quoted(clause, place) or _is_in_brackets(clause, at):
        return False
    before, here = tree.tokens[clause.places[at - 1]], tree.tokens[place]
    if before.text in MARKS:
        return here.text not in MARKS
    word = here.text.lower()
    if before.tag in _NEVER_LAST:
        return False
    if here.tag == "JJ" and here.head < place and here.dep == "amod" and tree.child(place, "prep") is not None:
        return True  # "a species of bat endemic to the islands"
    return word in LINKS | CONTRASTS or (word in OPENERS and here.head > place and here.dep in (*SUBJECTS, "advmod"))


def _is_in_brackets(clause: Clause, at: int) -> bool:
    texts = [clause.tree.tokens[place].text for place in clause.places[:at]]
    return sum(_BRACKETS.get(text, 0) for text in texts) > 0


def clause_head(tree: Tree, places: tuple[int, ...]) -> int | None:
    """The highest verb with a tense and a subject among these places; None if they are no clause."""
    inside = set(places)
    verbs = [
        at
        for at in places
        if tree.tokens[at].pos in VERBS
        and tree.is_finite(at)
        and any(subject in inside for subject in tree.children(at, *SUBJECTS))
        and not _is_joined_by_word(tree, at, inside)
    ]
    return min(verbs, key=lambda at: sum(1 for _ in tree.ancestors(at)), default=None)


def _loose_head(tree: Tree, places: tuple[int, ...]) -> int | None:
    """A verb with a tense after a noun that the parser may have joined to another one: "and chaos begins"."""
    inside = set(places)
    has_noun = False
    for at in places:
        token = tree.tokens[at]
        has_noun = has_noun or (token.pos in ("NOUN", "PROPN", "PRON") and token.dep in _HEADS)
        if has_noun and token.pos in VERBS and tree.is_finite(at) and not _is_joined_by_word(tree, at, inside):
            return at
    return None


_HEADS = frozenset({"appos", "conj", "dep", "dobj", "pobj", "ROOT", *SUBJECTS})


def _is_joined_by_word(tree: Tree, verb: int, inside: Container[int]) -> bool:
    """Whether a word makes a clause part of another one: that, which, when."""
    return any(
        at in inside and (tree.tokens[at].dep == "mark" or tree.tokens[at].tag in _WH)
        for child in tree.children(verb, "mark", "advmod", "dobj", "pobj", *SUBJECTS)
        for at in (child, *tree.children(child, "poss", "det"))
    )


def _predicates(clause: Clause, right: tuple[int, ...], verb: int) -> Iterator[tuple[int, tuple[str, ...]]]:
    """What a second half says about the subject of the first one, and the words that make it a sentence."""
    tree = clause.tree
    subject = tree.child(verb, *SUBJECTS)
    if subject is None or tree.tokens[subject].dep == "expl":
        return
    name, plural = parts.mention(tree, subject)
    first = next((at for at in right if tree.tokens[at].pos != "ADV" and tree.tokens[at].text != "also"), right[0])
    token = tree.tokens[first]
    if token.pos in VERBS and token.tag in _TENSED and not tree.children(first, *SUBJECTS):
        is_wrong_number = (token.tag == "VBZ" and plural) or (token.tag == "VBP" and not plural)
        if not is_wrong_number:
            yield first, (name,)
    elif _is_copula(tree, verb) and _describes(token):
        yield first, (name, mentions.be(name, plural=plural, past=tree.is_past(verb)))


def _is_copula(tree: Tree, verb: int) -> bool:
    return tree.tokens[verb].lemma == "be" and tree.child(verb, "attr") is not None


def sequels(clause: Clause) -> Iterator[Split]:
    """He sang before moving to Rome: He sang. He then moved to Rome."""
    tree = clause.tree
    subject = tree.subject(clause.head)
    for verb in clause.places:
        token = tree.tokens[verb]
        part = tree.subtree(verb) & set(clause.places)
        link = verb - 1
        if token.tag != "VBG" or min(part | {verb}) not in (link, verb) or not clause.has(link) or subject is None:
            continue
        if tree.tokens[link].text != "before" or not tree.is_past(clause.head) or parts.is_quoted(clause, verb):
            continue
        first, _ = parts.divided(clause, frozenset(part | {link}))
        places = tuple(at for at in clause.places if at in part and at != link)
        name, _ = parts.mention(tree, subject)
        second = parts.taken_out(clause, places, verb, (name, "then"))
        swaps = {**second.swaps, verb: inflected(token.lemma, "VBD")}
        yield Split(rule="sequel", first=first, second=replace(second, swaps=swaps))


def _describes(token: ParsedToken) -> bool:
    """Whether a phrase says where something is, or how: in the north, famous for its beaches."""
    is_place = (token.pos == "ADP" and token.text in PLACES) or token.tag == "VBN"
    return is_place or (token.pos == "ADJ" and token.tag == "JJ" and token.dep in ("acl", "amod", "advcl", "acomp"))
