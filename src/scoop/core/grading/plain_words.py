"""Plain words: common words that stand for formal ones in nearly every sentence, by the list `plain_words.toml`."""

import tomllib
from functools import cache
from importlib.resources import files

from scoop.core.grading import words
from scoop.core.grading.trees import Tree

PARTICLES = frozenset({"up", "out", "back", "down", "away", "part", "worse"})
PREPOSITION = "p"
TAKES_CLAUSE = words.words("saying") | words.words("takes_clause")
_KEYS = {"verb": "v", "noun": "n", "adjective": "a", "adverb": "r", "preposition": PREPOSITION}
_OBJECTS = ("dobj", "ccomp", "xcomp", "auxpass", "nsubjpass", "agent")


def plain_word(lemma: str, key: str) -> str | None:
    return _table().get((lemma, key))


def plain_preposition(tree: Tree, at: int) -> str | None:
    """A plain preposition or link for a formal one: after, for "following"."""
    token = tree.tokens[at]
    is_link = token.dep in ("prep", "mark") and (token.pos in ("ADP", "SCONJ") or tree.child(at, "pobj") is not None)
    return _table().get((token.text.lower(), PREPOSITION)) if is_link else None


def fits(tree: Tree, at: int, plain: str) -> bool:
    """Whether the grammar of a sentence takes the plain word as it took the other."""
    token = tree.tokens[at]
    if token.pos == "VERB":
        return token.dep != "amod" and _verb_fits(tree, at, plain)
    if plain == "result" and any(tree.tokens[one].text == "of" for one in tree.children(at, "prep")):
        return False  # "the findings of plague"
    is_graded = tree.child(at, "advmod") is not None or token.tag in ("JJR", "JJS", "RBR", "RBS")
    if " " not in plain:
        return not (is_graded and plain in ("main", "only", "first", "many", "enough", "huge", "different"))
    return not is_graded and (token.pos != "ADV" or plain.startswith("at ") or at > token.head)


def _verb_fits(tree: Tree, at: int, plain: str) -> bool:
    first, _, rest = plain.partition(" ")
    is_passive = tree.tokens[at].tag == "VBN" and all(
        tree.tokens[one].lemma != "have" for one in tree.children(at, "aux")
    )
    if tree.child(at, "prt") is not None or (
        tree.child(at, "ccomp", "xcomp") is not None and plain not in TAKES_CLAUSE
    ):
        return False
    if is_passive:
        return first not in NEVER_PASSIVE and (not rest or rest in PARTICLES)
    has_object = tree.child(at, *_OBJECTS) is not None
    if has_object and first in INTRANSITIVE:
        return False
    return has_object or first not in TRANSITIVE or rest in ("part", "worse")


INTRANSITIVE = frozenset({"come", "happen", "live", "look", "rise"})
NEVER_PASSIVE = frozenset({"come", "get", "happen", "have", "live", "look", "pass", "rise"})
TRANSITIVE = frozenset(
    {"show", "get", "give", "make", "take", "keep", "need", "find", "see", "buy", "send", "ask", "wait", "look", "cut",
     "force", "remove", "use", "own", "set", "carry", "destroy", "name", "create", "include", "replace", "leave", "pay",
     "love", "throw", "understand"}
)  # fmt: skip


@cache
def _table() -> dict[tuple[str, str], str]:
    stored = tomllib.loads(files(__package__).joinpath("plain_words.toml").read_text("utf-8"))
    return {(word, key): plain for name, key in _KEYS.items() for word, plain in stored[name].items()}
