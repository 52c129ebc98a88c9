"""Terms: what a lesson explains in plain words because it must stay, by the list `terms.toml`."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

from scoop.core.grading.inflection import inflected
from scoop.core.grading.trees import Tree
from scoop.core.levels import vocabulary

_WORD = re.compile(r"\w+")


def explanations(text: str, trees: Sequence[Tree]) -> Iterator[str]:
    """A sentence for each known term of a text, in order; `trees` are of the sentence that the text was made from.

    The last word of a longer name is none: "Marrowfield AI".
    """
    nouns = {token.text.lower() for tree in trees for token in tree.tokens if token.pos in ("NOUN", "PROPN")}
    for match in _terms().finditer(text):
        is_written = match.start() or match[0] in _explanations()
        term = match[0] if is_written else match[0][:1].lower() + match[0][1:]
        is_noun = _WORD.findall(term)[-1].lower() in nouns
        if is_noun and term in _explanations() and not (term[0].isupper() and _ends_name(text[: match.start()])):
            yield _explanations()[term]


def _ends_name(before: str) -> bool:
    """Whether a name goes on after these words."""
    last = "".join(before.split()[-1:])
    return last[:1].isupper() and not vocabulary.look_up(last).senses


@cache
def _terms() -> re.Pattern[str]:
    """The terms in all forms, the longest first; a word with a hyphen on either side is another word."""
    forms = sorted(_explanations(), key=len, reverse=True)
    either = "|".join(f"[{form[0].upper()}{form[0]}]{re.escape(form[1:])}" for form in forms)
    return re.compile(rf"(?<![\w-])(?:{either})(?![\w-])")


@cache
def _explanations() -> dict[str, str]:
    """The explanation of each term, by its singular and its plural."""
    stored = tomllib.loads(files(__package__).joinpath("terms.toml").read_text("utf-8"))
    names = {form: text for name, text in stored["names"].items() for form in (name, f"{name}s")}
    nouns = {form: text for noun, text in stored["nouns"].items() for form in (noun, f"{noun}s", _plural(noun))}
    return {**nouns, **names}


def _plural(noun: str) -> str:
    rest, space, last = noun.rpartition(" ")
    return f"{rest}{space}{inflected(last, 'NNS')}"
