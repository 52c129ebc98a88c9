"""Soundness: whether what is left of a sentence is a sentence."""

import re
from itertools import pairwise

from scoop.core.grading import tears, words
from scoop.core.grading.clauses import Clause
from scoop.core.grading.trees import SUBJECTS, VERBS
from scoop.core.levels import reading

MIN_WORDS = 3
SAYING = words.words("saying")
VAGUE = words.words("vague")
QUOTES = frozenset({'"', "“", "”", "''", "``"})
_TOLERATED = frozenset({"punct", "cc", "dep", "mark", "preconj", "advmod", "aux", "neg", "intj"})
"""Relations of words that may stay without their head: a parser often attaches them to another clause."""
_NEVER_LAST = frozenset({"CC", "DT", "PDT", "PRP$", "WDT", "WP", "WP$", "MD", "TO"})
# A capital and a full stop that is no abbreviation's: readers, and programs that count sentences, must see the ends.
_ENDS = re.compile(
    r"[A-Z0-9\"].*(?<!\b[A-Z])(?<!\b(?:St|Co|Dr|Mr|Jr|Sr|No|vs|Ms|Lt))(?<!\b(?:Inc|Ltd|etc|Mrs|Gen|Sen|Gov|Rep))"
    r"(?<!\b[ap]\.m)[.!][\"')]*",
    re.DOTALL,
)
_STOP_INSIDE = re.compile(r"(?<!\b[A-Z])(?<!\b(?:St|Dr|Mr|Ms))(?<!\bMrs)[.!][\"')]*\s")


def is_presentable(text: str, most: int) -> bool:
    """Whether a text is seen as one sentence that is not too long."""
    is_one = _ENDS.fullmatch(text) is not None and _STOP_INSIDE.search(text) is None
    return is_one and MIN_WORDS <= word_count(text) <= most


def word_count(text: str) -> int:
    return sum(1 for _ in reading.TOKEN.finditer(text))


def is_sentence(clause: Clause) -> bool:
    """Whether a clause has its subject and a verb with a tense, says something, and lost no word that it needs."""
    if not clause.places:
        return False
    return (
        _has_subject_and_tense(clause)
        and _closes_quotations(clause)
        and _is_connected(clause)
        and _links_something(clause)
        and not _is_empty_report(clause)
        and not _is_empty_copula(clause)
        and not _is_dependent(clause)
        and not _is_cut_off(clause)
        and not _is_torn(clause)
        and not tears.is_torn(clause)
    )


def _has_subject_and_tense(clause: Clause) -> bool:
    if clause.lead:
        return True
    subject = clause.tree.child(clause.head, *SUBJECTS)
    return subject is not None and clause.has(subject) and clause.tree.is_finite(clause.head)


def _lost_next(clause: Clause, last: int) -> bool:
    """Whether the last word was tied to the next one: "Amazon's vice [president]", "just moments [before]"."""
    tokens, follower = clause.tree.tokens, last + 1
    if follower >= len(tokens) or clause.has(follower):
        return False
    is_split_noun = tokens[last].pos in ("NOUN", "ADJ") and tokens[follower].pos == "NOUN"
    is_split_time = tokens[last].pos == "NOUN" and tokens[follower].text.lower() in TIME_WORDS
    return is_split_noun or is_split_time


TIME_WORDS = frozenset({"after", "ago", "before", "earlier", "later", "since"})


def _links_something(clause: Clause) -> bool:
    """Whether each "and" has what it joins: not "recognition and, on 9 October"."""
    tree = clause.tree
    links = [at for at in clause.places[1:] if tree.tokens[at].dep == "cc"]
    joined = [at for at in clause.places if tree.tokens[at].dep == "conj" and tree.tokens[at].pos in VERBS]
    if not all(_is_linked(clause, at) for at in joined if at != clause.head):
        return False
    return all(any(one > at and clause.has(one) for one in tree.children(tree.tokens[at].head, "conj")) for at in links)


def _is_linked(clause: Clause, verb: int) -> bool:
    """Whether a joined verb has a link or a mark before it: not "lifted the ban was released"."""
    part = clause.tree.subtree(verb)
    before = [at for at in clause.places if at < min(part & set(clause.places))]
    return not before or clause.tree.tokens[before[-1]].pos in ("CCONJ", "PUNCT", "ADV", "SCONJ")


def _closes_quotations(clause: Clause) -> bool:
    return sum(clause.tree.tokens[at].text in QUOTES for at in clause.places) % 2 == 0


def _is_connected(clause: Clause) -> bool:
    """Whether every word has the word that it depends on."""
    tokens, inside = clause.tree.tokens, set(clause.places)
    return all(
        at == clause.head or tokens[at].head in inside or tokens[at].dep in _TOLERATED or tokens[at].pos == "PUNCT"
        for at in clause.places
    )


def _is_empty_report(clause: Clause) -> bool:
    """Whether somebody says nothing: "In an interview, he said."."""
    tree = clause.tree
    if tree.tokens[clause.head].lemma not in SAYING or clause.report:
        return False
    return not any(
        at in clause.places
        for at in tree.children(clause.head, "ccomp", "dobj", "xcomp", "parataxis", "oprd", "dative", "prt")
    )


def _is_empty_copula(clause: Clause) -> bool:
    """Whether something is only a thing or a place: "It is a place."."""
    tree = clause.tree
    noun = tree.child(clause.head, "attr")
    if tree.tokens[clause.head].lemma in ("be", "seem", "appear") and _is_last(clause, clause.head):
        return not clause.lead  # "The third result was."
    if noun is None or tree.tokens[clause.head].lemma != "be" or tree.tokens[noun].lemma.lower() not in VAGUE:
        return False
    return not any(clause.has(at) and tree.tokens[at].dep not in ("det", "punct") for at in tree.children(noun))


def _is_last(clause: Clause, place: int) -> bool:
    return all(at <= place or clause.tree.tokens[at].pos == "PUNCT" for at in clause.places)


def _is_dependent(clause: Clause) -> bool:
    """Whether a clause begins like half a sentence: "So that", "So passed", "Which", "But who"."""
    first = clause.tree.tokens[clause.places[0]]
    if clause.lead == ("But",) and first.tag in tears.RELATIVES:
        return True
    if clause.lead or clause.report:
        return False
    is_marked = first.dep == "mark" and first.head == clause.head
    second = clause.tree.tokens[clause.places[min(1, len(clause.places) - 1)]]
    is_of_which = first.pos == "ADP" and second.tag in ("WDT", "WP", "WP$")
    is_link = first.text.lower() == "so" and second.pos == "VERB"
    is_inverted = first.pos in VERBS and first.tag != "VBG" and clause.tree.child(clause.head, "expl") is None
    return (
        is_marked
        or is_inverted
        or is_link
        or is_of_which
        or first.tag in ("WDT", "WP", "WP$", "CC")
        or first.text in (")", ";", ":")
    )


def _is_torn(clause: Clause) -> bool:
    """Whether a word between two others is gone: "visited Leeds [and said] it was late", "not only"."""
    tree = clause.tree
    texts = [tree.tokens[at].text.lower() for at in clause.places]
    is_half = ("not", "only") in pairwise(texts) and "but" not in texts
    if is_half or any(_lost_part(clause, at) for at in clause.places):
        return True
    said = [at for at in clause.places if tree.tokens[at].dep == "ccomp" and tree.child(at, "mark") is None]
    starts = [
        min(tree.subtree(at)) for at in said if tree.tokens[at].head < at and tree.child(at, *SUBJECTS) is not None
    ]
    return any(at > 0 and not clause.has(at - 1) and clause.places[0] != at for at in starts if clause.has(at))


def _lost_part(clause: Clause, at: int) -> bool:
    """Whether a word has lost what it needs: "is willing [to help]", "between May [and June]", "a level [that ...]"."""
    tree, token = clause.tree, clause.tree.tokens[at]
    lost = {tree.tokens[one].dep for one in tree.children(at) if not clause.has(one)}
    if token.lemma.lower() in VAGUE and _lost_meaning(clause, at, lost):
        return True
    if token.dep == "appos":
        has_more = any(clause.has(one) and tree.tokens[one].dep not in ("det", "punct") for one in tree.children(at))
        return bool(lost & {"relcl", "acl", "prep"}) and not has_more
    if token.pos == "ADJ" and token.dep in ("dobj", "pobj") and tree.child(at, "det") is not None:
        return tree.tokens[at - 1].text.lower() in ("a", "an")  # "gave a short [talk]"
    is_pair = token.dep == "pobj" and tree.tokens[token.head].text.lower() == "between"
    return "xcomp" in lost or (is_pair and "conj" in lost)


def _lost_meaning(clause: Clause, at: int, lost: set[str]) -> bool:
    """Whether a noun that says nothing alone has lost what was said of it: "confined to an area [that ...]"."""
    tree = clause.tree
    article = tree.child(at, "det")
    is_new = article is not None and tree.tokens[article].lemma in ("a", "an")
    has_more = any(clause.has(one) and tree.tokens[one].dep not in ("det", "punct") for one in tree.children(at))
    return not has_more and bool(lost & {"relcl", "acl"} or (is_new and "prep" in lost))


def _is_cut_off(clause: Clause) -> bool:
    """Whether the last word waits for another one: "and so", "who", "of the"."""
    tree = clause.tree
    last = next((at for at in reversed(clause.places) if tree.tokens[at].pos != "PUNCT"), None)
    if last is None or last in clause.tails:
        return False
    token = tree.tokens[last]
    lost_object = token.dep in ("prep", "agent") and any(
        not clause.has(at) for at in tree.children(last, "pobj", "pcomp")
    )
    return (
        token.tag in _NEVER_LAST
        or lost_object
        or _lost_next(clause, last)
        or (token.text.lower() == "be" and not clause.lead)
        or token.text.lower() in ("so", "as", "than", "because", "if")
    )
