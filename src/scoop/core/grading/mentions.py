"""Mentions: how a new sentence names what an earlier one was about."""

from scoop.core.grading import words
from scoop.core.grading.trees import Tree

PRONOUNS = {"i": "I", "me": "I", "we": "we", "us": "we", "he": "he", "him": "he", "she": "she", "her": "she",
            "they": "they", "them": "they", "it": "it", "you": "you", "this": "this", "that": "that",
            "these": "these", "those": "those"}  # fmt: skip
PLURAL_PRONOUNS = frozenset({"they", "we", "you", "these", "those"})
MASCULINE = frozenset({"he", "him", "his", "himself"})
FEMININE = frozenset({"she", "her", "hers", "herself"})
GROUPS = words.words("groups")
PERSON_NOUNS = words.words("persons")


def is_plural(tree: Tree, noun: int) -> bool:
    token = tree.tokens[noun]
    if any(tree.tokens[at].pos in ("NOUN", "PROPN", "PRON") for at in tree.children(noun, "conj")):
        return True
    if token.pos == "PRON":
        return token.text.lower() in PLURAL_PRONOUNS
    return token.tag in ("NNS", "NNPS") or (token.lemma.lower() in ("police", "people", "staff"))


def noun_phrase(tree: Tree, noun: int) -> str:
    """A noun with what stands before it, "the" for its article: the stadium."""
    token = tree.tokens[noun]
    if token.pos == "PROPN":
        return proper_name(tree, noun)
    before = [at for at in sorted(tree.children(noun, "compound", "amod", "nummod", "poss", "nmod")) if at < noun]
    kept = [at for at in before if tree.tokens[at].dep in ("compound", "poss")]
    words = [_written(tree, at) for at in kept] + [token.text]
    has_owner = any(tree.tokens[at].dep == "poss" for at in kept)
    return " ".join(words) if has_owner else " ".join(["the", *words])


def _written(tree: Tree, at: int) -> str:
    """A dependent with its own words."""
    places = sorted(tree.subtree(at))
    text = ""
    for place in places:
        text += tree.tokens[place].text + (" " if tree.tokens[place].has_space else "")
    return text.strip()


def proper_name(tree: Tree, noun: int) -> str:
    """A name as it is written, with its article and without titles and roles."""
    first = noun
    while (
        first - 1 in tree.subtree(noun)
        and tree.tokens[first - 1].pos in ("PROPN", "PUNCT")
        and (tree.tokens[first - 1].pos == "PROPN" or tree.tokens[first - 1].text == "-")
    ):
        first -= 1
    article = tree.child(noun, "det")
    words = [tree.tokens[at].text + " " * tree.tokens[at].has_space for at in range(first, noun + 1)]
    has_the = article is not None and tree.tokens[article].lemma == "the"
    return " ".join("".join(["the " if has_the else "", *words]).split())


def gender(tree: Tree) -> str | None:
    """he or she, if only one of them is in the sentence."""
    words = {token.text.lower() for token in tree.tokens}
    him, her = bool(words & MASCULINE), bool(words & FEMININE)
    return None if him == her else "he" if him else "she"


def pronoun(tree: Tree, noun: int, hint: str | None) -> str | None:
    """The pronoun for a noun; None where only the name is safe. `hint` is he or she, where the text says so."""
    token = tree.tokens[noun]
    if token.pos == "PRON":
        return PRONOUNS.get(token.text.lower())
    if is_plural(tree, noun):
        return "they"
    if token.pos == "PROPN":
        return gender(tree) or hint
    if token.lemma in PERSON_NOUNS:
        return gender(tree) or hint
    if token.pos in ("NOUN", "NUM"):
        return None if token.lemma in GROUPS else "it"
    return None


def possessive(subject: str) -> str:
    own = {"he": "his", "she": "her", "it": "its", "they": "their", "I": "my", "we": "our", "you": "your"}
    return own.get(subject) or (f"{subject}'" if subject.endswith("s") else f"{subject}'s")


def be(subject: str, *, plural: bool, past: bool) -> str:
    if subject == "I":
        return "was" if past else "am"
    if plural or subject in PLURAL_PRONOUNS:
        return "were" if past else "are"
    return "was" if past else "is"


def names(tree: Tree) -> list[str]:
    """The proper names of a sentence, as they are written."""
    heads = [
        at
        for at, token in enumerate(tree.tokens)
        if token.pos == "PROPN" and token.dep != "compound" and token.text[0].isupper()
    ]
    return [proper_name(tree, at) for at in heads]
