"""Splits at verbs: joined clauses, joined verbs, contrasts, and clauses with a mark between them."""

from collections.abc import Iterator
from dataclasses import replace

from scoop.core.grading import parts
from scoop.core.grading.clauses import Clause
from scoop.core.grading.parts import Split
from scoop.core.grading.trees import AUXILIARIES, SUBJECTS, VERBS, Tree

CONTRASTS = frozenset({"although", "though", "whereas", "while", "but"})


def coordinated(clause: Clause) -> Iterator[Split]:
    """She sings and she plays; she sings and plays."""
    tree = clause.tree
    for verb in _chain(tree, clause.head):
        conj = verb
        link = tree.child(tree.tokens[conj].head, "cc")
        word = tree.tokens[link].text.lower() if link is not None and clause.has(link) else ""
        if word in ("or", "nor") or parts.is_quoted(clause, conj) or not clause.has(conj):
            continue
        part = tree.subtree(conj) & set(clause.places)
        if not _follows_its_link(clause, min(part), link):
            continue
        first, places = parts.divided(clause, frozenset(part | ({link} if link is not None else set())))
        places = tuple(at for at in places if at != link)
        opening = ("But",) if word in ("but", "yet") else ()
        own = tree.child(conj, *SUBJECTS)
        if own is not None:
            yield Split(rule="clauses", first=first, second=parts.taken_out(clause, places, conj, opening))
            continue
        subject = tree.subject(conj)
        if link is None and tree.child(conj, "conj") is None:
            continue  # a comma alone joins only the middle of a list
        if subject is None or not clause.has(subject):
            continue
        name, plural = parts.mention(tree, subject)
        helpers = _shared_helpers(tree, conj)
        if helpers is not None and (helpers or parts.agrees(tree, conj, plural=plural)):
            phrase, places = parts.fronted(clause, places)
            lead = (*opening, *phrase, name, *helpers)
            yield Split(rule="verbs", first=first, second=parts.taken_out(clause, places, conj, lead))


def _follows_its_link(clause: Clause, start: int, link: int | None) -> bool:
    """Whether a joined clause begins after "and" or a mark: else a part of it was taken for one of the first."""
    before = [at for at in clause.places if at < start]
    return not before or before[-1] == link or clause.tree.tokens[before[-1]].pos in ("PUNCT", "CCONJ", "ADV")


def _chain(tree: Tree, head: int) -> list[int]:
    """The verbs that are joined to the head, one after the other."""
    found = []
    for child in tree.children(head, "conj"):
        if tree.tokens[child].pos in VERBS:
            found += [child, *_chain(tree, child)]
    return found


def _shared_helpers(tree: Tree, conj: int) -> tuple[str, ...] | None:
    """The auxiliaries that a joined verb shares with the first one; None if the two do not fit."""
    if tree.is_finite(conj) and not _is_second_passive(tree, conj):
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
    tag = "VBN" if _is_second_passive(tree, conj) else tree.tokens[conj].tag
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


def _is_second_passive(tree: Tree, conj: int) -> bool:
    """Whether a past form shares the "are" of the verb before it: "they are collected and shared out"."""
    is_past_form = tree.tokens[conj].tag == "VBD" and not tree.children(conj, *AUXILIARIES, *COMPLEMENTS)
    return is_past_form and bool(tree.children(tree.tokens[conj].head, "auxpass"))


COMPLEMENTS = ("dobj", "ccomp", "xcomp", "attr", "acomp", "advmod")


def _full(word: str) -> str:
    """An auxiliary without its apostrophe."""
    if word in ("'s", "’s", "'ve", "'re", "'d", "'ll", "'m"):
        return {"'ve": "have", "'re": "are", "'ll": "will", "'d": "would", "'m": "am"}.get(word, "is")
    return word


def subordinate(clause: Clause) -> Iterator[Split]:
    """Although it rained, they played: It rained. But they played. He left because he was ill: This was because ..."""
    tree = clause.tree
    for verb in clause.places:
        mark = _mark(clause, verb)
        if mark is None or parts.is_quoted(clause, verb):
            continue
        part = tree.subtree(verb) & set(clause.places)
        if min(part) != mark:
            continue
        word = tree.tokens[mark].text.lower()
        first, places = parts.divided(clause, frozenset(part))
        if word in CONTRASTS and not _is_meanwhile(clause, mark):
            yield _contrast(clause, first, places, verb)
        elif word in CAUSES and _may_be_told_later(clause, places):
            be = "was" if tree.is_past(clause.head) else "is"
            if word == "when" and be == "is":
                continue
            second = parts.taken_out(clause, places, verb, (f"This {be}",))
            yield Split(rule="cause", first=first, second=replace(second, swaps={**second.swaps, mark: word}))


def _is_meanwhile(clause: Clause, mark: int) -> bool:
    """Whether "while" says when: "they waited while the advisory was in force"."""
    tokens = clause.tree.tokens
    return tokens[mark].text == "while" and tokens[mark - 1].text != ","


def _mark(clause: Clause, verb: int) -> int | None:
    """The first word of a clause with a subject and a tense that depends on the main verb."""
    tree, token = clause.tree, clause.tree.tokens[verb]
    if (
        token.dep != "advcl"
        or token.head != clause.head
        or not tree.is_finite(verb)
        or not tree.children(verb, *SUBJECTS)
    ):
        return None
    whens = [at for at in tree.children(verb, "advmod") if tree.tokens[at].text.lower() == "when"]
    mark = next(iter([*tree.children(verb, "mark"), *whens]), None)
    return mark if mark is not None and clause.has(mark) else None


def _contrast(clause: Clause, first: Clause, places: tuple[int, ...], verb: int) -> Split:
    inner = parts.taken_out(clause, places[1:], verb, ())
    if places[0] < clause.head:
        outer = replace(first, lead=("But", *first.lead), rank=clause.rank + 1)
        return Split(rule="contrast", first=replace(inner, rank=clause.rank), second=outer)
    return Split(rule="contrast", first=first, second=replace(inner, lead=("But",)))


def _may_be_told_later(clause: Clause, places: tuple[int, ...]) -> bool:
    """Whether a reason or time ends a clause that states a fact."""
    tree = clause.tree
    has_modal = any(tree.tokens[at].tag == "MD" for at in tree.children(clause.head, "aux"))
    is_last = not any(at > places[-1] and tree.tokens[at].pos != "PUNCT" for at in clause.places)
    is_fact = tree.child(clause.head, "neg") is None and not has_modal and not clause.report and not clause.lead
    previous = tree.tokens[places[0] - 1]
    is_free = previous.pos not in ("ADV", "CCONJ") and previous.lemma not in TIMES  # "moments before"
    return is_last and places[0] > clause.head and is_fact and is_free


TIMES = frozenset({"moment", "second", "minute", "hour", "day", "week", "month", "year"})
CAUSES = frozenset({"because", "when", "after", "before"})


def at_marks(clause: Clause) -> Iterator[Split]:
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
        if one is None or other is None or _is_marked(tree, one) or not _is_main(tree, right, other, left):
            continue
        if word in (",", "and") and not (opening or word == "and" or _begins_as_sentence(tree, right, other)):
            continue
        second = parts.taken_out(clause, right, other, opening)
        yield Split(rule="mark", first=replace(clause, places=left, head=one), second=second)


MARKS = frozenset({";", "--", "–", "—", ":", ",", "and"})


LINKS = frozenset({"however", "instead", "then", "therefore", "later", "afterwards", "meanwhile", "consequently"})


def _is_marked(tree: Tree, verb: int) -> bool:
    """Whether a word makes a clause depend on another one: "after he left"."""
    is_part = tree.tokens[verb].dep in ("relcl", "acl", "advcl", "pcomp")
    return (
        is_part
        or tree.child(verb, "mark") is not None
        or any(tree.tokens[at].tag == "WRB" for at in tree.children(verb, "advmod"))
    )


def _begins_as_sentence(tree: Tree, places: tuple[int, ...], verb: int) -> bool:
    """Whether a clause begins with its subject, a link such as however, or a phrase of its own."""
    subject = tree.child(verb, *SUBJECTS)
    first = tree.tokens[places[0]]
    is_own_phrase = first.dep == "prep" and first.head == verb
    return subject is not None and (
        min(tree.subtree(subject)) == places[0] or first.text.lower() in LINKS or is_own_phrase
    )


def _is_main(tree: Tree, places: tuple[int, ...], verb: int, left: tuple[int, ...]) -> bool:
    """Whether a clause depends on nothing on its left, other than as an equal."""
    token = tree.tokens[verb]
    first = tree.tokens[places[0]]
    is_own_phrase = first.dep == "prep" and first.head == verb
    if first.tag in ("WDT", "WP", "WP$", "WRB", "CC", "TO") or (first.tag == "IN" and not is_own_phrase):
        return False
    if tree.child(verb, "mark") is not None:
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
