"""Splits at nouns: relative clauses, participles, appositions and ages say something about them."""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from scoop.core.grading import mentions, parts
from scoop.core.grading.clauses import Clause
from scoop.core.grading.inflection import inflected
from scoop.core.grading.parts import Split
from scoop.core.grading.trees import AUXILIARIES, SUBJECTS, ParsedToken, Tree
from scoop.core.levels import vocabulary

OBJECTS = frozenset({"attr", "dobj", "pobj", "appos", "conj"})
RELATIVE = frozenset({"who", "which", "that"})


def relative(clause: Clause) -> Iterator[Split]:
    """The bridge, which opened in 1900, ... : The bridge opened in 1900."""
    yield from _relatives(clause, _may_stand_alone)


def last_relative(clause: Clause) -> Iterator[Split]:
    """He met boys who teased him: He met boys. They teased him. For single sentences, where nothing is left out."""
    for split in _relatives(clause, _is_last):
        yield replace(split, rule="last_relative")


def _is_last(clause: Clause, noun: int, part: frozenset[int]) -> bool:
    """Whether a part ends a clause, after its noun."""
    places = [at for at in clause.places if clause.tree.tokens[at].pos != "PUNCT"]
    return max(part) >= places[-1] and noun <= min(part)


Allowed = Callable[[Clause, int, frozenset[int]], bool]


def _relatives(clause: Clause, is_allowed: Allowed) -> Iterator[Split]:
    tree = clause.tree
    for verb in clause.places:
        if tree.tokens[verb].dep != "relcl" or parts.is_quoted(clause, verb):
            continue
        noun = tree.tokens[verb].head
        part = tree.subtree(verb) & set(clause.places)
        if not part or noun not in clause.places or not is_allowed(clause, noun, frozenset(part)):
            continue
        if _is_cleft(tree, noun) or _has_loose_participle(tree, part):
            continue
        second = _relative_sentence(clause, noun, verb, part)
        if second is not None:
            first, _ = parts.divided(clause, frozenset(part))
            yield Split(rule="relative", first=first, second=second)


def _is_cleft(tree: Tree, noun: int) -> bool:
    """Whether a relative clause is the main point: "it is not just the town who gains"."""
    token = tree.tokens[noun]
    subject = tree.child(token.head, *SUBJECTS)
    is_it = subject is not None and tree.tokens[subject].text.lower() == "it"
    return token.dep == "attr" and is_it and (token.pos == "PROPN" or tree.child(token.head, "neg") is not None)


def _has_loose_participle(tree: Tree, part: Collection[int]) -> bool:
    """Whether a participle ends a clause that may belong to the one before: "a ferry that burned, ending the work"."""
    return any(
        tree.tokens[at].tag == "VBG" and tree.tokens[at].dep == "advcl" and tree.tokens[at - 1].text == ","
        for at in part
    )


def _may_stand_alone(clause: Clause, noun: int, part: frozenset[int]) -> bool:
    """Whether a relative clause adds to its noun instead of saying which one is meant."""
    tree, first = clause.tree, min(part)
    if first > 0 and tree.tokens[first - 1].text in (",", "-", "–", "—", "--", "("):
        return True
    token = tree.tokens[noun]
    if token.pos == "PROPN":
        return True
    article = tree.child(noun, "det")
    is_new = article is not None and tree.tokens[article].lemma in ("a", "an") and not tree.child(clause.head, "neg")
    return is_new and token.dep in OBJECTS


def _relative_sentence(clause: Clause, noun: int, verb: int, part: frozenset[int]) -> Clause | None:
    tree = clause.tree
    places = tuple(at for at in clause.places if at in part)
    name, plural = parts.mention(tree, _topic(clause, noun))
    if tree.tokens[min(part)].text == "who" and _may_be_other_person(tree, noun):
        return None
    if name == "it" and any(tree.tokens[at].tag in ("WP", "WP$") for at in places):
        name = mentions.noun_phrase(tree, noun)  # a person: "the illustrator, who"
    pronouns = [at for at in places if tree.tokens[at].tag in ("WDT", "WP", "WP$", "WRB")][:1]
    if not pronouns:
        return None
    wh = pronouns[0]
    token = tree.tokens[wh]
    word = token.text.lower()
    if word in RELATIVE and token.dep in SUBJECTS and token.head == verb:
        rest = tuple(at for at in places if at != wh)
        if not rest or tree.tokens[rest[0]].pos not in ("VERB", "AUX", "ADV", "PART"):
            return None  # "who, in a speech, said"
        if places[0] != wh or plural != _verb_is_plural(tree, verb, plural):
            return None
        return parts.taken_out(clause, rest, verb, (name,))
    if word == "whose" and places[0] == wh:
        return parts.taken_out(clause, places[1:], verb, (mentions.possessive(name),))
    if word == "where" and places[0] == wh:
        return parts.taken_out(clause, places[1:], verb, (f"{_place(tree, noun)},",))
    if token.tag in ("WDT", "WP") and token.dep == "dobj" and places[0] == wh and token.head == verb:
        objects = {"he": "him", "she": "her", "they": "them", "we": "us", "I": "me"}
        second = parts.taken_out(clause, places[1:], verb, ())
        return replace(second, tails={**second.tails, verb: objects.get(name, name)})
    return None


def _may_be_other_person(tree: Tree, noun: int) -> bool:
    """Whether "who" may rather mean the noun before: "the ambassador to London, who lived in Vienna"."""
    token = tree.tokens[noun]
    is_of_noun = token.dep == "pobj" and tree.tokens[tree.tokens[token.head].head].pos in ("NOUN", "PROPN")
    name = mentions.proper_name(tree, noun).split()
    return is_of_noun and token.pos == "PROPN" and not (name and mentions.is_first_name(name[0]))


def _place(tree: Tree, noun: int) -> str:
    """Where something was, as a first phrase: At the stadium."""
    preposition = tree.tokens[tree.tokens[noun].head]
    is_place = tree.tokens[noun].dep == "pobj" and preposition.text.lower() in ("at", "in", "on", "near")
    return f"{preposition.text.capitalize()} {mentions.noun_phrase(tree, noun)}" if is_place else "There"


def _topic(clause: Clause, noun: int) -> int:
    """The noun itself; of "X is a bridge" X."""
    tree = clause.tree
    token = tree.tokens[noun]
    if token.dep == "attr" and tree.tokens[token.head].lemma == "be":
        subject = tree.subject(token.head)
        is_thing = subject is not None and tree.tokens[subject].tag not in ("EX", "WP", "WDT", "DT")
        if subject is not None and is_thing and mentions.is_plural(tree, subject) == mentions.is_plural(tree, noun):
            return subject
    return noun


def _verb_is_plural(tree: Tree, verb: int, default: bool) -> bool:
    """The number of a verb's form; `default` where the form does not say."""
    for at in (*tree.children(verb, *AUXILIARIES), verb):
        word = tree.tokens[at].text.lower()
        if word in ("was", "is", "has", "does") or tree.tokens[at].tag == "VBZ":
            return False
        if word in ("were", "are", "have", "do") or tree.tokens[at].tag == "VBP":
            return True
    return default


def participles(clause: Clause) -> Iterator[Split]:
    """The church, built in 1900, ... : It was built in 1900; ..., saying that ... : She said that ..."""
    yield from _participles(clause, _is_reduced)


def last_participle(clause: Clause) -> Iterator[Split]:
    """They met boys attracted by the noise: They were attracted by the noise. For single sentences, as above."""
    for split in _participles(clause, lambda *given: _is_last(*given) or _is_of_new_noun(*given)):
        if split.rule == "reduced":
            yield replace(split, rule="last_participle")


def _is_of_new_noun(clause: Clause, verb: int, _: frozenset[int]) -> bool:
    tree, token = clause.tree, clause.tree.tokens[verb]
    article = tree.child(token.head, "det")
    return token.tag == "VBN" and article is not None and tree.tokens[article].lemma in ("a", "an")


def _participles(clause: Clause, is_allowed: Allowed) -> Iterator[Split]:
    tree = clause.tree
    for verb in clause.places:
        token = tree.tokens[verb]
        if token.tag not in ("VBG", "VBN") or token.dep not in ("acl", "advcl") or parts.is_quoted(clause, verb):
            continue
        part = tree.subtree(verb) & set(clause.places)
        is_set_off = bool(part) and parts.is_set_off(clause, part)
        if (
            not part
            or not (is_set_off or is_allowed(clause, verb, frozenset(part)))
            or tree.child(verb, "mark", *SUBJECTS) is not None
        ):
            continue
        noun = token.head if token.dep == "acl" else tree.subject(token.head)
        if noun is None or not clause.has(noun) or not _is_nameable(tree.tokens[noun]):
            continue
        places = tuple(at for at in clause.places if at in part)
        if min(part) != verb and tree.tokens[min(part)].pos not in ("ADV", "AUX"):
            continue
        first, _ = parts.divided(clause, frozenset(part))
        name, plural = parts.mention(tree, noun)
        past = tree.is_past(parts.governing_verb(tree, verb)) or _is_dated(tree, verb, part)
        lead, swaps = _finite(tree, verb, name, plural=plural, past=past)
        if lead is None:
            continue
        second = parts.taken_out(
            clause, tuple(at for at in places if at not in swaps or swaps[at]), verb, (name, *lead)
        )
        yield Split(
            rule="participle" if is_set_off else "reduced",
            first=first,
            second=replace(second, swaps={**second.swaps, **swaps}),
        )


def _is_nameable(noun: ParsedToken) -> bool:
    """Whether a sentence can begin with it: not the "there" of "there is", nor the "that" of "a ferry that burned"."""
    return noun.dep != "expl" and noun.tag not in ("WDT", "WP")


def _is_reduced(clause: Clause, verb: int, _: frozenset[int]) -> bool:
    """Whether a participle is a short relative clause of a new noun: "a game developed in Japan"."""
    tree, token = clause.tree, clause.tree.tokens[verb]
    article = tree.child(token.head, "det")
    is_new = article is not None and tree.tokens[article].lemma in ("a", "an")
    is_last = tree.tokens[token.head].dep in OBJECTS  # not "a girl born today can expect"
    is_plain = is_last and token.text.lower() not in ("called", "named", "known", "based", "used", "made")
    return token.tag == "VBN" and token.dep == "acl" and is_new and is_plain and not tree.child(clause.head, "neg")


def _is_dated(tree: Tree, verb: int, part: set[int] | frozenset[int]) -> bool:
    """Whether a participle tells what happened at a time: "born in 1972"."""
    is_birth = tree.tokens[verb].text.lower() in ("born", "founded", "established")
    return tree.tokens[verb].tag == "VBN" and (is_birth or any(_YEAR.fullmatch(tree.tokens[at].text) for at in part))


_YEAR = re.compile("1[0-9]{3}|20[0-2][0-9]")


def _finite(
    tree: Tree, verb: int, name: str, *, plural: bool, past: bool
) -> tuple[tuple[str, ...] | None, dict[int, str]]:
    """The words before a participle, and its form, that make it a sentence."""
    token = tree.tokens[verb]
    helpers = tree.children(verb, *AUXILIARIES)
    if token.tag == "VBN":
        if token.text == "followed":
            return None, {}  # "plans a lander in 2018, followed by a rover"
        if not helpers:
            return (mentions.be(name, plural=plural, past=past),), {}
        if tree.tokens[helpers[0]].text.lower() == "having":
            return ("had",), {helpers[0]: ""}
        if tree.tokens[helpers[0]].text.lower() == "being":
            return (mentions.be(name, plural=plural, past=past),), {helpers[0]: ""}
        return None, {}
    if helpers or token.lemma in ("include", "follow", "accord", "regard", "concern", "base", "depend"):
        return None, {}
    is_joined = any(tree.tokens[at].tag == "VBG" for at in tree.children(verb, "conj"))
    if tree.child(verb, "neg") is not None or is_joined or not vocabulary.look_up(token.lemma).senses:
        return None, {}
    if token.lemma == "be":
        return (mentions.be(name, plural=plural, past=past),), {verb: ""}
    many = plural or name in mentions.PLURAL_PRONOUNS or name == "I"
    return (), {verb: inflected(token.lemma, "VBD" if past else "VBP" if many else "VBZ")}


def appositions(clause: Clause) -> Iterator[Split]:
    """Kelly, a retired astronaut, ... : Kelly is a retired astronaut."""
    tree = clause.tree
    for at in clause.places:
        token = tree.tokens[at]
        if token.dep != "appos" or token.pos not in ("NOUN", "PROPN") or parts.is_quoted(clause, at):
            continue
        noun = token.head
        part = tree.subtree(at) & set(clause.places)
        if not clause.has(noun) or not part or min(part) < noun or not parts.is_set_off(clause, part):
            continue
        if min(part) - 2 != noun or token.lemma in ABOUT_CLAUSES:  # "the impact on whales, a class of mammals"
            continue
        if tree.tokens[min(part) - 1].text == "(" or tree.tokens[min(part)].pos not in (
            "DET",
            "NOUN",
            "PROPN",
            "ADJ",
            "PRON",
        ):
            continue
        if token.pos == "NOUN" and tree.tokens[min(part)].pos not in ("DET", "PRON") and tree.child(at, "poss") is None:
            continue
        if tree.tokens[noun].pos == "PROPN" and token.pos == "PROPN" and tree.child(at, "det", "poss") is None:
            continue  # places: Paris, France
        if tree.tokens[noun].pos == "NOUN" and token.pos == "PROPN" and not mentions.may_have_name(tree, noun):
            continue  # "the brain, Susumu Tonagawa"
        if not _are_one(tree, noun, at) or _speaks(tree, max(part) + 1) or _may_be_clause(tree, at):
            continue
        first, places = parts.divided(clause, frozenset(part))
        name = mentions.noun_phrase(tree, noun) if tree.tokens[noun].pos != "PRON" else parts.mention(tree, noun)[0]
        plural = mentions.is_plural(tree, noun)
        past = tree.is_past(parts.governing_verb(tree, at))
        verb = mentions.be(name, plural=plural, past=past and not clause.is_report)
        yield Split(rule="apposition", first=first, second=parts.taken_out(clause, places, at, (name, verb)))


def _speaks(tree: Tree, at: int) -> bool:
    """Whether what is before a place says the sentence: "the comet, the agency said"."""
    return at < len(tree.tokens) and tree.tokens[at].pos == "VERB" and tree.tokens[at].lemma in mentions.SAYING


def _may_be_clause(tree: Tree, at: int) -> bool:
    """Whether a noun after a plural may be a verb: "its founders stress"."""
    return at > 0 and tree.tokens[at - 1].tag == "NNS" and tree.tokens[at - 1].dep == "compound"


def _are_one(tree: Tree, noun: int, at: int) -> bool:
    """Whether two nouns may be one thing: not of two numbers, no list, and named by all that says which one it is."""
    other = tree.child(at, "conj")
    is_list = other is not None and tree.child(other, "det") is not None and tree.child(at, "det") is not None
    is_named = tree.child(noun, "poss") is None or tree.child(noun, "amod") is None  # "Scotland's largest city"
    return mentions.is_plural(tree, noun) == mentions.is_plural(tree, at) and not is_list and is_named


ABOUT_CLAUSES = frozenset(
    {"claim", "decision", "fact", "figure", "move", "phrase", "plan", "record", "result", "sign", "step"}
)
"""Nouns that rather say what a whole clause is: "prevent smoking, a decision that ..."."""


MIXTURES = frozenset({"blend", "combination", "matter", "mix", "mixture"})


def roles(clause: Clause) -> Iterator[Split]:
    """She is a singer and the founder of a school: She is a singer. She is the founder of a school."""
    tree, head = clause.tree, clause.head
    noun, subject = tree.child(head, "attr"), tree.subject(head)
    if tree.tokens[head].lemma != "be" or noun is None or subject is None or tree.children(head, *AUXILIARIES):
        return
    other = tree.child(noun, "conj")
    if (
        tree.tokens[noun].lemma in MIXTURES
        or other is None
        or not clause.has(other)
        or tree.child(other, "det", "poss") is None
        or tree.child(other, "conj")
    ):
        return
    links = frozenset(at for at in tree.children(noun, "cc") if tree.tokens[at].text.lower() == "and")
    part = tree.subtree(other) & set(clause.places)
    if not links or clause.lead or not clause.has(subject):
        return
    last = max(at for at in part if tree.tokens[at].pos != "PUNCT")
    if tree.tokens[last].pos == "ADJ" and tree.tokens[last].dep == "pobj":
        yield _gapped(clause, other, frozenset(part | links), last)
        return
    first, places = parts.divided(clause, frozenset(part | links))
    name, plural = parts.mention(tree, subject)
    verb = mentions.be(name, plural=plural, past=tree.is_past(head))
    places = tuple(at for at in places if at not in links)
    yield Split(rule="roles", first=first, second=parts.taken_out(clause, places, other, (name, verb)))


def _gapped(clause: Clause, noun: int, part: frozenset[int], adjective: int) -> Split:
    """The debate is a lively one and the scale of it vast: The scale of it is vast."""
    tree = clause.tree
    first, places = parts.divided(clause, part)
    subject = tuple(at for at in places if tree.tokens[at].dep != "cc" and at != adjective)
    words = parts.taken_out(clause, subject, noun, ()).text.removesuffix(".")
    verb = mentions.be(words, plural=mentions.is_plural(tree, noun), past=tree.is_past(clause.head))
    return Split(
        rule="roles", first=first, second=parts.taken_out(clause, (adjective,), adjective, (*words.split(), verb))
    )


def ages(clause: Clause) -> Iterator[Split]:
    """Moses King, 48, ... : Moses King is 48 years old."""
    tree = clause.tree
    for place in clause.places:
        token = tree.tokens[place]
        if not token.text.isdecimal() or not 1 < len(token.text) < 3 or parts.is_quoted(clause, place):
            continue
        before, after = place - 1, place + 1
        is_set_off = before > 0 and tree.tokens[before].text == "," and clause.has(before)
        if not is_set_off or tree.tokens[before - 1].pos != "PROPN":
            continue
        if after < len(tree.tokens) and tree.tokens[after].text not in (",", "."):
            continue
        first, places = parts.divided(clause, frozenset({place}))
        name = mentions.proper_name(tree, before - 1)
        second = replace(parts.taken_out(clause, places, place, (name, "is")), tails={place: "years old"})
        yield Split(rule="age", first=first, second=second)
