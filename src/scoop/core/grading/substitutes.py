"""Easier words for a hard one, by the table `substitutes.tsv.gz`; `substitutes.LICENSE.md` names its sources."""

import gzip
from functools import cache
from importlib.resources import files
from typing import cast

from scoop.core.grading import plain_words
from scoop.core.grading.inflection import inflected
from scoop.core.grading.trees import ParsedToken, Tree
from scoop.core.levels import vocabulary
from scoop.core.levels.rules import Level
from scoop.core.levels.vocabulary import WordClass

EASY: Level = "A2"  # the words up to this level stay
PLAIN_TO: Level = "B1"  # the highest level of words in a text whose formal words become plain ones
_CLASSES = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}
_WORD_CLASSES = {"n": "noun", "v": "verb", "a": "adjective", "r": "adverb"}
_INFLECTED = frozenset({"NNS", "VBD", "VBG", "VBN", "VBZ", "VBP", "JJR", "JJS"})


def proposals(token: ParsedToken, *, is_inflected: bool = True) -> list[str]:
    """Easier words for a word in its sentence, the best first; in its form if `is_inflected`."""
    key = _CLASSES.get(token.pos, "")
    plain = plain_words.plain_word(token.lemma.lower(), key)
    listed = _look_up(token.lemma.lower(), key) or _any_class(token)
    found = dict.fromkeys([*([plain] if plain else []), *listed])
    return [in_form(word, token) if is_inflected else word for word in found if word != token.lemma.lower()]


def replacement(tree: Tree, at: int, hardest: Level, *, is_inflected: bool = True) -> str | None:
    """The word to write instead of one that is too hard, where the sense is safe."""
    token = tree.tokens[at]
    if hardest > PLAIN_TO:
        return None
    preposition = plain_words.plain_preposition(tree, at)
    if preposition:
        return preposition
    key = _CLASSES.get(token.pos)
    is_word = token.text.isalpha() and (token.text.islower() or (at == 0 and token.text.istitle()))
    if key is None or not is_word:
        return None
    lemma, word_class = token.lemma.lower(), cast(WordClass, _WORD_CLASSES[key])
    plain = plain_words.plain_word(lemma, key)
    is_safe = plain is not None and plain_words.fits(tree, at, plain) and not _is_compound(tree, at)
    if plain is None or not is_safe or vocabulary.estimated_level(lemma, word_class) <= EASY:
        return None
    return in_form(plain, token) if is_inflected else plain


def _is_compound(tree: Tree, at: int) -> bool:
    """Whether a word has its sense from a neighbour: a compound, a particle, a hyphen."""
    if tree.tokens[at].dep in ("compound", "prt") or tree.child(at, "prt", "compound") is not None:
        return True
    near = [tree.tokens[one].text for one in (at - 1, at + 1) if 0 <= one < len(tree.tokens)]
    return any(text in ("-", "–", "/", "'s") for text in near)


def _any_class(token: ParsedToken) -> tuple[str, ...]:
    """Easier words for a word that the parser took for another class: "a dedicated team"."""
    word = token.text.lower()
    return next((found for key in "anvr" if (found := _look_up(word, key))), ())


def _look_up(lemma: str, key: str) -> tuple[str, ...]:
    stored = _table().get(f"{lemma}\t{key}", "")
    return tuple(one.partition(":")[0] for one in stored.split("\t") if one)


def in_form(word: str, token: ParsedToken) -> str:
    """A word in the form of another one; of a phrase the verb, or the noun that ends it."""
    if token.tag not in _INFLECTED or token.lemma == token.text:
        return word
    first, space, rest = word.partition(" ")
    return f"{_inflected(first, token.tag)}{space}{rest}" if token.pos == "VERB" else _inflected(word, token.tag)


def _inflected(word: str, tag: str) -> str:
    if word == "person" and tag == "NNS":
        return "people"
    if tag in ("JJR", "JJS") and len(word) > 7:
        return f"{'more' if tag == 'JJR' else 'most'} {word}"
    return inflected(word, tag)


@cache
def _table() -> dict[str, str]:
    stored = gzip.decompress(files(__package__).joinpath("substitutes.tsv.gz").read_bytes()).decode()
    rows = (line.split("\t", 2) for line in stored.split("\n"))
    return {f"{lemma}\t{key}": rest for lemma, key, rest in rows}
