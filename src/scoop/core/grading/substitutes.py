"""Easier words for a hard one, by the table `substitutes.tsv.gz`; `substitutes.LICENSE.md` names its sources."""

import gzip
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from math import exp
from typing import cast

from scoop.core.grading import plain_words
from scoop.core.grading.trees import ParsedToken, Tree
from scoop.core.levels import vocabulary
from scoop.core.levels.rules import Level
from scoop.core.levels.vocabulary import WordClass

SAFE = 0.7  # share of the first proposal; writers chose the first one in half of such cases, and raters accept more
ABSOLUTE = 20.0  # score from which the first proposal is like the word itself

EASY: Level = "A2"  # the words up to this level stay
PLAIN_TO: Level = "B1"  # the highest level of words in a text whose formal words become plain ones
_CLASSES = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}
_WORD_CLASSES = {"n": "noun", "v": "verb", "a": "adjective", "r": "adverb"}
_INFLECTED = frozenset({"NNS", "VBD", "VBG", "VBN", "VBZ", "VBP", "JJR", "JJS"})


@dataclass(frozen=True, slots=True, kw_only=True)
class EasierWord:
    """An easier word in the form that fits; `share` is its share among all proposals, `score` how alike they are."""

    word: str
    share: float
    score: float


def proposals(token: ParsedToken) -> list[EasierWord]:
    """Easier words for a word in its sentence, the best first; empty if the tables have none."""
    plain = plain_words.plain_word(token.lemma.lower(), _CLASSES.get(token.pos, ""))
    found = _look_up(token.lemma.lower(), _CLASSES.get(token.pos, "")) or _any_class(token)
    total = sum(exp(score) for _, score in found) or 1.0
    listed = [
        EasierWord(word=in_form(word, token), share=exp(score) / total, score=score)
        for word, score in found
        if word not in (token.lemma.lower(), plain)
    ]
    return [EasierWord(word=in_form(plain, token), share=1.0, score=ABSOLUTE), *listed] if plain else listed


def replacement(tree: Tree, at: int, hardest: Level) -> str | None:
    """The word to write instead of one that is too hard, where the sense is safe."""
    token = tree.tokens[at]
    key = _CLASSES.get(token.pos)
    if key is None or not token.text.islower() or not token.text.isalpha():
        return None
    lemma, word_class = token.lemma.lower(), cast(WordClass, _WORD_CLASSES[key])
    level = vocabulary.estimated_level(lemma, word_class)
    plain = plain_words.plain_word(lemma, key)
    if (
        plain
        and level > EASY
        and hardest <= PLAIN_TO
        and plain_words.fits(tree, at, plain)
        and not _is_compound(tree, at)
    ):
        return in_form(plain, token)
    if plain or level <= hardest or _is_in_phrase(tree, at):
        return None
    best = next(iter(proposals(token)), None)
    if best is None or best.share < SAFE or best.score < ABSOLUTE:
        return None
    return best.word if vocabulary.estimated_level(best.word) <= hardest else None


def _is_in_phrase(tree: Tree, at: int) -> bool:
    """Whether a word has its sense from a neighbour: a compound, a particle, a hyphen, a preposition."""
    token = tree.tokens[at]
    if token.dep in ("prep", "mark", "aux", "cc") or (token.dep == "pobj" and not tree.children(at)):
        return True  # "according to"; "at stake"
    return _is_compound(tree, at)


def _is_compound(tree: Tree, at: int) -> bool:
    if tree.tokens[at].dep in ("compound", "prt") or tree.child(at, "prt", "compound") is not None:
        return True
    near = [tree.tokens[one].text for one in (at - 1, at + 1) if 0 <= one < len(tree.tokens)]
    return any(text in ("-", "–", "/", "'s") for text in near)


def _any_class(token: ParsedToken) -> tuple[tuple[str, float], ...]:
    """EasierWords for a word that the parser took for another class: "a dedicated team"."""
    word = token.text.lower()
    return next((found for key in "anvr" if (found := _look_up(word, key))), ())


@lru_cache(maxsize=1 << 14)
def _look_up(lemma: str, key: str) -> tuple[tuple[str, float], ...]:
    stored = _table().get(f"{lemma}\t{key}", "")
    pairs = (one.split(":") for one in stored.split("\t") if one)
    return tuple((word, int(score) / 100) for word, score in pairs)


def in_form(word: str, token: ParsedToken) -> str:
    """A word in the form of another one; of a phrase the verb, or the noun that ends it."""
    if token.tag not in _INFLECTED or token.lemma == token.text:
        return word
    first, space, rest = word.partition(" ")
    return f"{_inflected(first, token.tag)}{space}{rest}" if token.pos == "VERB" else _inflected(word, token.tag)


@lru_cache(maxsize=1 << 14)
def _inflected(word: str, tag: str) -> str:
    if word == "person" and tag == "NNS":
        return "people"
    if tag in ("JJR", "JJS") and len(word) > 7:
        return f"{'more' if tag == 'JJR' else 'most'} {word}"
    import lemminflect  # with spaCy: over a second, which every command would pay

    forms = lemminflect.getInflection(word, tag)
    return str(forms[0]) if forms else word


@cache
def _table() -> dict[str, str]:
    stored = gzip.decompress(files(__package__).joinpath("substitutes.tsv.gz").read_bytes()).decode()
    rows = (line.split("\t", 2) for line in stored.split("\n"))
    return {f"{lemma}\t{key}": rest for lemma, key, rest in rows}
