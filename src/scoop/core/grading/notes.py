"""Notes: short sentences about the people of a report, which are true without the sentence that they come from."""

from collections.abc import Iterator

from scoop.core.grading import mentions, noun_splits, tenses, words
from scoop.core.grading.clauses import article, whole
from scoop.core.grading.soundness import is_presentable, is_sentence
from scoop.core.grading.trees import Tree
from scoop.core.levels.rules import RULES, Level

SPEAKING = words.words("speaking")
ROLES = words.words("persons")
OWNERS = frozenset({"charity", "company", "government"})
SPOKE, SPEAKS = "spoke about this.", "speaks about this."
NAMED = "is part of this news."
OFFICES = frozenset({"chairman", "governor", "king", "mayor", "minister", "president", "queen"})
NATIONAL = ("ish", "ese", "ian", "ean", "ican", "ench", "utch", "reek")  # ends of adjectives with a capital
OWNED = frozenset({"her", "his", "its", "their"})
MAX_ROLE = 4  # words before a name


def notes(tree: Tree, level: Level) -> list[str]:
    """Who somebody is, how old, and who spoke; each with a name as its subject."""
    longest = RULES[level].longest_sentence
    if longest is None:
        return []
    found = dict.fromkeys((*_roles(tree), *_appositions(tree), *_speakers(tree), *_people(tree)))
    return [text for text in found if is_presentable(text, longest)]


def _roles(tree: Tree) -> Iterator[str]:
    """Scottish illustrator Johanna Basford: Johanna Basford is a Scottish illustrator."""
    for at, token in enumerate(tree.tokens):
        if token.pos != "NOUN" or token.lemma.lower() not in ROLES or not _is_name(tree, at + 1):
            continue
        last = at + 1
        while _is_name(tree, last + 1):
            last += 1
        first = at
        while first > 0 and _describes(tree, first - 1) and at - first < MAX_ROLE:
            first -= 1
        has_more = last + 1 < len(tree.tokens) and tree.tokens[last + 1].text == "-"  # "Fergus Abernathy-Cole"
        if has_more or (first > 0 and not _may_precede(tree, first - 1)):
            continue
        name = " ".join(one.text for one in tree.tokens[at + 1 : last + 1])
        role = " ".join(one.text for one in tree.tokens[first : at + 1])
        if not first and not tree.tokens[0].text.endswith(NATIONAL):
            role = role[:1].lower() + role[1:]
        if " " in name and token.tag == "NN":
            yield f"{name} is {_article(role, token.lemma)} {role}."


def _article(role: str, noun: str) -> str:
    """ "the" for an office that one person has: the prime minister, a former minister."""
    return "the" if noun in OFFICES and not role.startswith("former") else article(role)


def _is_name(tree: Tree, at: int) -> bool:
    return at < len(tree.tokens) and tree.tokens[at].pos == "PROPN" and tree.tokens[at].text[0].isupper()


def _describes(tree: Tree, at: int) -> bool:
    token = tree.tokens[at]
    return token.pos in ("ADJ", "NOUN") and token.tag in ("JJ", "NN") and token.text.isalpha()


def _may_precede(tree: Tree, at: int) -> bool:
    """Whether a role begins after this word: not after an owner, a hyphen or another role."""
    token = tree.tokens[at]
    return token.text.lower() in ("the", "a", "an") or token.pos in ("VERB", "AUX", "ADP", "SCONJ") or token.text == "."


def _appositions(tree: Tree) -> Iterator[str]:
    """Kelly, 48, a retired astronaut: Kelly is 48 years old. Kelly is a retired astronaut."""
    clause = whole(tree, is_report=True)
    for rule in (noun_splits.ages, noun_splits.appositions):
        for split in rule(clause):
            name = split.second.lead[0] if split.second.lead else ""
            is_known = name[:1].isupper() and name.split()[0].lower() not in OWNED
            if is_known and is_sentence(split.second):
                yield split.second.text


def _speakers(tree: Tree) -> Iterator[str]:
    for verb, token in enumerate(tree.tokens):
        subject = tree.child(verb, "nsubj")
        if (
            token.lemma in SPEAKING
            and token.tag in ("VBD", "VBZ")
            and subject is not None
            and not tree.child(verb, "neg")
        ):
            speaker = _speaker(tree, subject)
            if speaker:
                yield f"{speaker} {SPOKE if tenses.is_dated(tree) else SPEAKS}"


def _speaker(tree: Tree, subject: int) -> str | None:
    """A name, or a noun with "the" and nothing else."""
    token, others = tree.tokens[subject], tree.children(subject)
    if token.pos == "PROPN" and tree.child(subject, "conj", "poss") is None:
        name = mentions.proper_name(tree, subject)
        return name if name[0].isupper() and name[-1].isalpha() else None
    is_known = len(others) == 1 and tree.tokens[others[0]].text.lower() == "the"
    return f"The {token.text}" if token.lemma in ROLES | OWNERS and is_known else None


def _people(tree: Tree) -> Iterator[str]:
    for name in mentions.names(tree):
        if " " in name and mentions.is_first_name(name.split()[0]):
            yield f"{name} {NAMED}"


def is_filler(note: str) -> bool:
    """Whether a note says little: it is of use only where a sentence gives nothing else."""
    return note.endswith((SPOKE, SPEAKS, NAMED))
