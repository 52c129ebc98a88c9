"""Tenses: a report in the present tense, for readers who know no other tense."""

import re
from calendar import day_name, month_name
from collections.abc import Collection
from dataclasses import replace

from scoop.core.grading import mentions, words
from scoop.core.grading.clauses import whole
from scoop.core.grading.inflection import inflected
from scoop.core.grading.shortening import quoted
from scoop.core.grading.trees import SUBJECTS, ParsedToken, Tree

REPORTS = words.words("reports")
EVENTS = words.words("events") | REPORTS
PAST_TIMES = words.words("past_times")
CALENDAR = frozenset(name.lower() for name in (*day_name, *month_name) if name)
AMOUNTS = frozenset({"couple", "half", "lot", "majority", "number", "pair", "percent", "quarter", "rest", "third"})
BACKSHIFTED = frozenset({"had", "'d", "’d", "would", "could", "might", "should"})
_TIME = re.compile("(?:1[0-9]|20)[0-9]{2}s?|[0-9]{1,2}:[0-9]{2}|[ap]\\.?m\\.?")


def in_present(tree: Tree, verbs: Collection[str]) -> Tree:
    """A sentence with these verbs in the present; unchanged where that may be false, or bad English.

    All of its past verbs must be among them: a state may have ended, and what has a time of its own stays in the past.
    Clauses that say which one is meant, and events that somebody reports, stay in the past too: "Police arrest a man
    who robbed a bank", "Police say that a man died".
    """
    inside = quoted(whole(tree))
    outside = [at for at in range(len(tree.tokens)) if at not in inside]
    past = [at for at in outside if tree.tokens[at].tag == "VBD"]
    main = [at for at in past if not _is_described(tree, at) and not _is_reported(tree, at)]
    is_safe = (
        bool(main)
        and not is_dated(tree)
        and not any(_is_backshifted(tree, at) for at in outside)
        and all(_is_one_of(tree, at, verbs) for at in main)
        and all(_is_one_of(tree, at, EVENTS) for at in past if _is_reported(tree, at))
        and all(_has_known_number(tree, at, inside) for at in main)
    )
    return _changed(tree, main) if is_safe else tree


def is_dated(tree: Tree) -> bool:
    """Whether a sentence says when something was, outside of quotations: in 2008, last week, on Monday."""
    inside = quoted(whole(tree))
    spoken = (token.text.lower() for at, token in enumerate(tree.tokens) if at not in inside)
    return any(word in PAST_TIMES or word in CALENDAR or _TIME.fullmatch(word) for word in spoken)


def _is_described(tree: Tree, at: int) -> bool:
    """Whether a verb is in a clause that describes a noun."""
    return any(tree.tokens[one].dep in ("relcl", "acl") for one in (at, *tree.ancestors(at)))


def _is_reported(tree: Tree, at: int) -> bool:
    """Whether a verb is in a clause that somebody says, thinks or finds."""
    return any(tree.tokens[one].dep == "ccomp" for one in (at, *tree.ancestors(at)))


def _is_backshifted(tree: Tree, at: int) -> bool:
    """Whether a word sets a time by another one that is past: had gone, would go."""
    token = tree.tokens[at]
    return token.text.lower() in BACKSHIFTED and token.dep == "aux"


def _is_one_of(tree: Tree, at: int, verbs: Collection[str]) -> bool:
    """Whether a past form, or the verb that "did" helps, is one of some verbs."""
    verb = tree.tokens[_main_verb(tree, at)]
    return verb.pos == "VERB" and verb.lemma in verbs


def _head(tree: Tree, at: int) -> ParsedToken:
    return tree.tokens[tree.tokens[at].head]


def _main_verb(tree: Tree, at: int) -> int:
    """The verb itself, or the one that "did" helps."""
    is_helper = tree.tokens[at].dep == "aux" and tree.tokens[at].lemma == "do"
    return tree.tokens[at].head if is_helper else at


def _has_known_number(tree: Tree, at: int, inside: Collection[int]) -> bool:
    """Whether a verb has a subject that is clearly one or many: not "half of the voters", "MPs", "many"."""
    verb, subject = _main_verb(tree, at), tree.subject(_main_verb(tree, at))
    is_joined = tree.tokens[verb].dep == "conj" and _head(tree, verb).tag != "VBD"  # "have turned back and sent"
    if subject is None or subject in inside or is_joined or len(tree.children(verb, *SUBJECTS)) > 1:
        return False
    token = tree.tokens[subject]
    if token.tag == "PRP":
        return token.text.lower() not in ("i", "you")
    if token.pos == "PROPN" and token.text.endswith("s"):
        return mentions.is_first_name(mentions.proper_name(tree, subject).split()[0])
    has_clear_list = not _joins_nouns(tree, subject) or (
        mentions.is_plural(tree, subject) and tree.child(subject, "appos") is None
    )
    return has_clear_list and token.pos in ("NOUN", "PROPN") and token.lemma.lower() not in AMOUNTS


def _joins_nouns(tree: Tree, subject: int) -> bool:
    return any(tree.tokens[one].dep == "conj" and not _is_described(tree, one) for one in tree.subtree(subject))


def _changed(tree: Tree, verbs: Collection[int]) -> Tree:
    """A sentence with some verbs in the present."""
    tokens = list(tree.tokens)
    for at in verbs:
        subject = tree.subject(_main_verb(tree, at))
        tag = "VBP" if subject is not None and mentions.is_plural(tree, subject) else "VBZ"
        tokens[at] = replace(tokens[at], text=inflected(tokens[at].lemma, tag), tag=tag)
    return Tree(tokens=tuple(tokens))
