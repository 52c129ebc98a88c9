"""Mentions: how a new sentence names what an earlier one was about."""

import tomllib
from functools import cache
from importlib.resources import files

from scoop.core.grading import words
from scoop.core.grading.trees import SUBJECTS, Tree
from scoop.core.levels import vocabulary

PRONOUNS = {"i": "I", "me": "I", "we": "we", "us": "we", "he": "he", "him": "he", "she": "she", "her": "she",
            "they": "they", "them": "they", "it": "it", "you": "you", "this": "this", "that": "that",
            "these": "these", "those": "those"}  # fmt: skip
PLURAL_PRONOUNS = frozenset({"they", "we", "you", "these", "those"})
MASCULINE = frozenset({"he", "him", "his", "himself"})
FEMININE = frozenset({"she", "her", "hers", "herself"})
GROUPS = words.words("groups")
SAYING = words.words("saying")
PARTICLES = frozenset({"of", "for", "da", "de", "del", "di", "do", "van", "von"})
WITH_THE = frozenset({"EU", "UK", "UN", "US"})
THINGS = words.words("things")
PERSON_NOUNS = words.words("persons")
PERSON_ENDINGS = ("er", "or", "ist", "ian", "ess", "man")  # of some things too, which are then named again


def is_plural(tree: Tree, noun: int) -> bool:
    token = tree.tokens[noun]
    if any(tree.tokens[at].pos in ("NOUN", "PROPN", "PRON") for at in tree.children(noun, "conj")):
        return not _is_one_in_two_roles(tree, noun)
    if token.pos == "PRON":
        return token.text.lower() in PLURAL_PRONOUNS
    return token.tag in ("NNS", "NNPS") or (token.lemma.lower() in ("police", "people", "staff"))


def _is_one_in_two_roles(tree: Tree, noun: int) -> bool:
    """Whether two nouns share an article: "a dancer and actress"."""
    article = tree.child(noun, "det")
    is_single = article is not None and tree.tokens[article].lemma in ("a", "an")
    return is_single and not any(tree.children(at, "det", "poss") for at in tree.children(noun, "conj"))


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
    while first - 1 in tree.subtree(noun) and (tree.tokens[first - 1].text == "-" or _is_of_name(tree, first - 1)):
        first -= 1
    article = tree.child(noun, "det")
    words = [tree.tokens[at].text + " " * tree.tokens[at].has_space for at in range(first, noun + 1)]
    is_next = article is not None and article == first - 1  # not "the rugby-ball-sized Inky"
    has_the = article is not None and is_next and tree.tokens[article].lemma in ("the", "a", "an")
    return " ".join("".join(["the " if has_the else "", *words]).split())


def _is_of_name(tree: Tree, at: int) -> bool:
    """Whether a word before a name is a part of it: "British Airways"."""
    token = tree.tokens[at]
    return token.pos == "PROPN" or (token.pos == "ADJ" and token.text[0].isupper())


def gender(tree: Tree, noun: int) -> str | None:
    """he or she: by the first name, else by the pronouns of the sentence that may mean nobody else."""
    first, *others = proper_name(tree, noun).removeprefix("the ").split() or [""]
    words = {token.text.lower() for at, token in enumerate(tree.tokens) if _may_mean(tree, at, noun)}
    him, her = bool(words & MASCULINE), bool(words & FEMININE)
    by_words = None if him == her else "he" if him else "she"
    return (_pronouns().get(first) if others else None) or by_words


def _may_mean(tree: Tree, at: int, noun: int) -> bool:
    """Whether no other name is the subject of something between a noun and a place, and grammar allows it.

    A pronoun cannot mean a noun in its own clause: "she was on the radar of Tutu, who put her forward".
    """
    token = tree.tokens[at]
    is_above = at != noun and token.dep in SUBJECTS and token.head in tree.ancestors(noun)
    is_object = token.dep in ("dobj", "dative") and not token.text.endswith("self") and at in tree.subtree(noun)
    if is_above or is_object:
        return False
    between = tree.tokens[min(at, noun) + 1 : max(at, noun)]
    return not any(one.dep in SUBJECTS and one.pos == "PROPN" for one in between)


def is_first_name(word: str) -> bool:
    return word in _pronouns()


def pronoun_by_name(name: str) -> str | None:
    """he or she, if the first word of a name says it."""
    return _pronouns().get(name.split()[0])


@cache
def _pronouns() -> dict[str, str]:
    lists = tomllib.loads(files(__package__).joinpath("first_names.toml").read_text("utf-8"))
    return {name: pronoun for pronoun, names in lists.items() for name in names}


def pronoun(tree: Tree, noun: int) -> str | None:
    """The pronoun for a noun; None where only the name is safe."""
    token = tree.tokens[noun]
    if token.pos == "PRON":
        return PRONOUNS.get(token.text.lower())
    if is_plural(tree, noun):
        return "they"
    if token.pos == "PROPN":
        return "it" if _is_thing(tree, noun) else gender(tree, noun)
    is_speaker = token.dep in SUBJECTS and tree.tokens[token.head].lemma in SAYING
    if is_speaker or _is_person(token.lemma):
        return gender(tree, noun)
    if token.pos in ("NOUN", "NUM"):
        return None if token.lemma in GROUPS else "it"
    return None


def _is_person(lemma: str) -> bool:
    return lemma in PERSON_NOUNS or lemma.endswith(PERSON_ENDINGS)


def may_have_name(tree: Tree, noun: int) -> bool:
    """Whether a noun is one of people, or of things with names: her lawyer, the company."""
    lemma = tree.tokens[noun].lemma
    return _is_person(lemma) or lemma in THINGS or lemma in GROUPS


def _is_thing(tree: Tree, noun: int) -> bool:
    """Whether a sentence says so of a name: "Aldermere is a town"."""
    token = tree.tokens[noun]
    said = tree.child(token.head, "attr") if token.dep in SUBJECTS and tree.tokens[token.head].lemma == "be" else None
    return said is not None and tree.tokens[said].lemma in THINGS


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
    """The proper names of a sentence, as they are written: the University of Zurich."""
    found, at = [], 0
    while at < len(tree.tokens):
        end = at
        while _is_capital_name(tree, end) and not _begins_person(tree, at, end):
            end = end + 1 if not _is_joined(tree, end + 1) else end + 2
        if end > at and not _is_part_of_name(tree, at, end) and not _is_common_word(tree, at, end):
            found.append(_written_range(tree, at, end))
        at = max(end, at + 1)
    return found


def _is_part_of_name(tree: Tree, start: int, end: int) -> bool:
    """Whether a name goes on with a hyphen or an unusual word: "Abernathy-Cole", "Go Set a Watchman"."""
    tokens = tree.tokens
    after = tokens[end].text if end < len(tokens) else ""
    before = tokens[start - 1] if start > 1 else None
    is_title = before is not None and before.text[0].isupper() and before.pos not in ("PROPN", "NOUN", "ADJ")
    return after in ("-", "&") or is_title or (before is not None and before.text == "-" and not before.has_space)


def _is_common_word(tree: Tree, start: int, end: int) -> bool:
    """Whether a "name" is the first word of a sentence that the dictionary has: "Management's answer was no"."""
    is_first = start == 0 or tree.tokens[start - 1].pos == "PUNCT"
    return is_first and end == start + 1 and bool(vocabulary.look_up(tree.tokens[start].text.lower()).senses)


def _is_capital_name(tree: Tree, at: int) -> bool:
    if at >= len(tree.tokens):
        return False
    token = tree.tokens[at]
    return token.pos == "PROPN" and token.text[0].isupper() and token.text[-1].isalnum()


def _begins_person(tree: Tree, start: int, at: int) -> bool:
    """Whether a person's name follows another name: "of the Institute of Navigation Roger McKinlay"."""
    is_after_of = any(tree.tokens[one].text == "of" for one in range(start, at))
    return is_after_of and is_first_name(tree.tokens[at].text) and _is_capital_name(tree, at + 1)


def _is_joined(tree: Tree, at: int) -> bool:
    """Whether "of", or "de", goes on with a name."""
    return at < len(tree.tokens) and tree.tokens[at].text in PARTICLES and _is_capital_name(tree, at + 1)


def _written_range(tree: Tree, start: int, end: int) -> str:
    text = "".join(one.text + " " * one.has_space for one in tree.tokens[start:end]).strip()
    is_whole = end == len(tree.tokens) or tree.tokens[end].pos not in ("NOUN", "ADJ")  # "the Greenland ice sheet"
    has_the = (is_whole or text in WITH_THE) and start > 0 and tree.tokens[start - 1].text.lower() == "the"
    return f"the {text}" if has_the else text
