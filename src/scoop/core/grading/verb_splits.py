"""Splits at verbs: joined clauses, joined verbs, contrasts, and clauses with a mark between them."""

from collections.abc import Iterator
from dataclasses import replace

from scoop.core.grading import parts
from scoop.core.grading.clauses import Clause
from scoop.core.grading.parts import Split
from scoop.core.grading.trees import AUXILIARIES, SUBJECTS, VERBS, Tree

CONTRASTS = frozenset({"although", "though", "whereas", "while", "but"})


def coordinated(clause: Clause, hint: str | None) -> Iterator[Split]:
    """She sings and she plays; she sings and plays."""
    tree = clause.tree
    for verb in _chain(tree, clause.head):
        conj = verb
        link = tree.child(tree.tokens[conj].head, "cc")
        word = tree.tokens[link].text.lower() if link is not None and clause.has(link) else ""
        if word in ("or", "nor") or parts.is_quoted(clause, conj) or not clause.has(conj):
            continue
        part = tree.subtree(conj) & set(clause.places)
        first, places = parts.divided(clause, frozenset(part | ({link} if link is not None else set())))
        places = tuple(at for at in places if at != link)
        opening = ("But",) if word in ("but", "yet") else ()
        own = tree.child(conj, *SUBJECTS)
        if own is not None:
            yield Split(rule="clauses", first=first, second=parts.taken_out(clause, places, conj, opening))
            continue
        subject = tree.subject(conj)
        if subject is None or not clause.has(subject):
            continue
        name, _ = parts.mention(tree, subject, hint)
        helpers = _shared_helpers(tree, conj)
        if helpers is not None:
            yield Split(
                rule="verbs", first=first, second=parts.taken_out(clause, places, conj, (*opening, name, *helpers))
            )


def _chain(tree: Tree, head: int) -> list[int]:
    """The verbs that are joined to the head, one after the other."""
    found = []
    for child in tree.children(head, "conj"):
        if tree.tokens[child].pos in VERBS:
            found += [child, *_chain(tree, child)]
    return found


def _shared_helpers(tree: Tree, conj: int) -> tuple[str, ...] | None:
    """The auxiliaries that a joined verb shares with the first one; None if the two do not fit."""
    if tree.is_finite(conj):
        return ()
    first = tree.tokens[conj].head
    while (
        tree.tokens[first].dep == "conj"
        and tree.tokens[tree.tokens[first].head].pos in VERBS
        and not tree.is_finite(first)
    ):
        first = tree.tokens[first].head
    helpers = [at for at in tree.children(first, *AUXILIARIES) if at < first]
    tags = {tree.tokens[at].lemma for at in helpers}
    tag = tree.tokens[conj].tag
    if (tag == "VBN" and tags & {"be", "have"}) or (tag == "VBG" and "be" in tags):
        kept = helpers
    elif tag == "VB" and any(tree.tokens[at].tag == "MD" or tree.tokens[at].lemma == "do" for at in helpers):
        kept = helpers[:1]
    elif tag == "VB" and tree.tokens[first].tag == "VB" and not helpers:
        kept = []
    else:
        return None
    own = {tree.tokens[at].text.lower() for at in tree.children(conj, *AUXILIARIES)}
    words = tuple(tree.tokens[at].text for at in kept if tree.tokens[at].text.lower() not in own)
    return tuple(_full(word) for word in words)


def _full(word: str) -> str:
    """An auxiliary without its apostrophe."""
    if word in ("'s", "’s", "'ve", "'re", "'d", "'ll", "'m"):
        return {"'ve": "have", "'re": "are", "'ll": "will", "'d": "would", "'m": "am"}.get(word, "is")
    return word


def subordinate(clause: Clause, _hint: str | None) -> Iterator[Split]:
    """Although it rained, they played: It rained. But they played."""
    tree = clause.tree
    for verb in clause.places:
        token = tree.tokens[verb]
        if (
            token.dep != "advcl"
            or token.head != clause.head
            or not tree.is_finite(verb)
            or parts.is_quoted(clause, verb)
        ):
            continue
        mark = tree.child(verb, "mark")
        if mark is None or not clause.has(mark) or tree.child(verb, *SUBJECTS) is None:
            continue
        word = tree.tokens[mark].text.lower()
        part = tree.subtree(verb) & set(clause.places)
        if word not in CONTRASTS or min(part) != mark:
            continue
        first, places = parts.divided(clause, frozenset(part))
        inner = parts.taken_out(clause, tuple(at for at in places if at != mark), verb, ())
        if places[0] < clause.head:
            outer = replace(first, lead=("But", *first.lead), rank=clause.rank + 1)
            yield Split(rule="contrast", first=replace(inner, rank=clause.rank), second=outer)
        else:
            yield Split(rule="contrast", first=first, second=replace(inner, lead=("But",)))


def at_marks(clause: Clause, _hint: str | None) -> Iterator[Split]:
    """Two clauses with a mark or "and" between them, each with a subject and a verb of its own."""
    tree = clause.tree
    for at, place in enumerate(clause.places):
        word = tree.tokens[place].text.lower()
        if word not in MARKS or parts.is_quoted(clause, place):
            continue
        left, right = clause.places[:at], clause.places[at + 1 :]
        opening: tuple[str, ...] = ()
        if right and tree.tokens[right[0]].text.lower() in ("and", "but"):
            opening = ("But",) if tree.tokens[right[0]].text.lower() == "but" else ()
            right = right[1:]
        one, other = _clause_head(tree, left), _clause_head(tree, right)
        if one is None or other is None or not _is_main(tree, right, other, left):
            continue
        if word in (",", "and") and not (opening or word == "and" or _begins_with_subject(tree, right, other)):
            continue
        second = parts.taken_out(clause, right, other, opening)
        yield Split(rule="mark", first=replace(clause, places=left, head=one), second=second)


MARKS = frozenset({";", "--", "–", "—", ":", ",", "and"})


def _begins_with_subject(tree: Tree, places: tuple[int, ...], verb: int) -> bool:
    subject = tree.child(verb, *SUBJECTS)
    return subject is not None and min(tree.subtree(subject)) == places[0]


def _is_main(tree: Tree, places: tuple[int, ...], verb: int, left: tuple[int, ...]) -> bool:
    """Whether a clause depends on nothing on its left, other than as an equal."""
    token = tree.tokens[verb]
    if (
        tree.tokens[places[0]].tag in ("WDT", "WP", "WP$", "WRB", "CC", "IN", "TO")
        or tree.child(verb, "mark") is not None
    ):
        return False
    if token.dep in ("relcl", "advcl", "acl", "pcomp", "csubj", "xcomp"):
        return False
    heads = [
        at
        for at in left
        if tree.tokens[at].head == verb and tree.tokens[at].dep not in ("ccomp", "punct", "cc", "parataxis", "nsubj")
    ]
    return token.dep != "ccomp" and not heads


def _clause_head(tree: Tree, places: tuple[int, ...]) -> int | None:
    """The finite verb with a subject that governs these places; None if they are no clause."""
    inside = set(places)
    for at in places:
        token = tree.tokens[at]
        if token.pos in VERBS and tree.is_finite(at) and (token.head not in inside or token.head == at):
            subject = tree.child(at, *SUBJECTS)
            return at if subject is not None and subject in inside else None
    return None
