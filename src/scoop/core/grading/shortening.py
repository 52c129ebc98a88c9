"""Shortening: the parts that a sentence can do without, least needed first."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from scoop.core.grading import tears, words
from scoop.core.grading.clauses import Clause
from scoop.core.grading.trees import SUBJECTS, Tree

KEPT_ADVERBS = words.words("kept_adverbs")
INTENSIFIERS = words.words("intensifiers")
SPARE_ADJECTIVES = words.words("spare_adjectives")
ADJUNCTS = words.words("adjuncts")
MAX_ADVERB = 2  # words: "very slowly"
COMPLEMENTS = frozenset({"dobj", "attr", "acomp", "oprd", "ccomp", "xcomp", "agent"})
CONDITIONS = words.words("conditions")

Rule = Callable[[Clause], Iterator[frozenset[int]]]


def droppable(clause: Clause, rules: Sequence[Rule] | None = None) -> Iterator[frozenset[int]]:
    """Parts that may go by some rules or all, least needed first; words between quotation marks stay."""
    kept = quoted(clause)
    for rule in RULES if rules is None else rules:
        for part in rule(clause):
            inside = part & set(clause.places)
            if inside and not inside & kept and clause.head not in inside and not tears.touches_hyphen(clause, inside):
                yield inside


def without_asides(clause: Clause) -> Clause:
    """The clause without what stands in brackets, and without a first word that ties it to another sentence."""
    for part in _brackets(clause):
        clause = drop(clause, part)
    tokens = clause.tree.tokens
    while len(clause.places) > 1 and (first := clause.places[0]) != clause.head:
        is_link = tokens[first].text.lower() in LINKS and tokens[clause.places[1]].text == ","
        if not is_link and not (tokens[first].dep == "cc" and tokens[first].text.lower() in ("and", "but", "or", "so")):
            break
        clause = replace(clause, places=clause.places[2 if is_link else 1 :])
        while clause.places and tokens[clause.places[0]].text == ",":
            clause = replace(clause, places=clause.places[1:])
    return clause


LINKS = words.words("links")


def drop(clause: Clause, part: frozenset[int]) -> Clause:
    """The clause without a part, and without the marks around it that lose their use."""
    rest = [at for at in clause.places if at not in part]
    before = [at for at in rest if at < min(part)]
    after = [at for at in rest if at > max(part)]
    inside = [at for at in rest if min(part) < at < max(part)]
    left, right = _marks_to_drop(clause, part, before, after)
    return replace(clause, places=(*before[: len(before) - left], *inside, *after[right:]))


def _marks_to_drop(clause: Clause, part: frozenset[int], before: list[int], after: list[int]) -> tuple[int, int]:
    """How many marks go on the left and on the right of a part."""
    tokens = clause.tree.tokens
    left = tokens[before[-1]].text if before else ""
    right = tokens[after[0]].text if after else ""
    if left in _MARKS and left == right:  # a pair that sets it off, unless the second ends more
        return 1, 0 if _is_in_phrase(clause, part) else 1
    if not before and right == ",":
        return 0, 1
    if left in _MARKS and (right in ("", ".", ",") or (left == "," and _is_of_noun(clause, part))):
        return 1, 0
    return 0, 0


def _is_in_phrase(clause: Clause, part: frozenset[int]) -> bool:
    """Whether a part ends a phrase that stays: "Strydom, a lawyer for a mother[, who cannot be named], said"."""
    tree, subject = clause.tree, clause.tree.child(clause.head, *SUBJECTS)
    appositions = [at for at in clause.places if tree.tokens[at].dep == "appos"]
    openings = [at for at in tree.children(clause.head, "prep", "advcl") if subject is not None and at < subject]
    return any(
        max(tree.subtree(at)) == max(part) and min(part) in tree.subtree(at)
        for at in (*appositions, *openings)
        if at not in part
    )


_MARKS = frozenset({",", "–", "—", "-", "--"})


def _is_of_noun(clause: Clause, part: frozenset[int]) -> bool:
    """Whether a part says more about a noun: its comma goes with it."""
    tokens = clause.tree.tokens
    return any(tokens[at].dep in ("appos", "relcl", "acl") and tokens[at].head not in part for at in part)


def quoted(clause: Clause) -> frozenset[int]:
    """The places between quotation marks, and the marks."""
    inside, found = False, set()
    for at in clause.places:
        if clause.tree.tokens[at].text in ('"', "“", "”", "''", "``"):
            inside = not inside
            found.add(at)
        elif inside:
            found.add(at)
    return frozenset(found)


def _brackets(clause: Clause) -> Iterator[frozenset[int]]:
    opened = None
    for at in clause.places:
        text = clause.tree.tokens[at].text
        if text in "([" and opened is None:
            opened = at
        elif text in ")]" and opened is not None:
            yield frozenset(range(opened, at + 1))
            opened = None


def _set_off(clause: Clause) -> Iterator[frozenset[int]]:
    """Appositions, relative clauses and participles between commas or dashes."""
    tree = clause.tree
    for at in clause.places:
        if tree.tokens[at].dep not in ("appos", "relcl", "acl", "advcl", "parataxis", "intj"):
            continue
        if tree.tokens[at].dep in ("relcl", "acl") and tree.tokens[tree.tokens[at].head].dep == "attr":
            continue  # "it is a place, he said, where"
        part = tree.subtree(at)
        first = min(part)
        mark = tree.child(at, "mark")
        if (mark is not None and tree.tokens[mark].text.lower() in CONDITIONS) or _is_needed_purpose(tree, at):
            continue
        if (first > 0 and tree.tokens[first - 1].text in _MARKS) or (
            first == clause.places[0] and tree.tokens[at].dep == "advcl"
        ):
            yield part


def _is_needed_purpose(tree: Tree, at: int) -> bool:
    """Whether something must be done only for a purpose: "To show it, she must look"."""
    helpers = [tree.tokens[one].lemma for one in tree.children(tree.tokens[at].head, "aux")]
    return tree.tokens[at].tag == "VB" and bool({"must", "should"}.intersection(helpers))


def _examples(clause: Clause) -> Iterator[frozenset[int]]:
    """Examples of a noun: such as corn, like GPS."""
    tree = clause.tree
    for at in clause.places:
        token = tree.tokens[at]
        is_example = token.text == "like" or (token.text == "as" and at and tree.tokens[at - 1].text == "such")
        if token.dep == "prep" and is_example and tree.tokens[token.head].tag in ("NNS", "NNPS"):
            yield tree.subtree(at)


def _adverbs(clause: Clause) -> Iterator[frozenset[int]]:
    tree = clause.tree
    for at in clause.places:
        token = tree.tokens[at]
        if token.dep == "advmod" and token.pos == "ADV" and _is_spare_adverb(tree, at):
            yield tree.subtree(at)


def _is_spare_adverb(tree: Tree, at: int) -> bool:
    token = tree.tokens[at]
    is_plain = len(tree.subtree(at)) <= MAX_ADVERB and not _has_tag(tree, at, ("WRB", "RBR", "RBS"))
    if at > token.head and (
        not token.text.endswith("ly") or not tree.children(token.head, *COMPLEMENTS, "prep", "prt")
    ):
        return False  # "went underground", "ran aground in the estuary"
    head = tree.tokens[token.head]
    is_of_adverb = head.pos in ("ADV", "ADP") or (head.dep == "amod" and head.text.endswith("ed"))  # "newly formed"
    if (head.pos == "ADJ" or head.lemma in PLACING) and token.text.lower() not in INTENSIFIERS:
        return False  # "seismically active", "puts it differently"
    return (
        is_plain and not is_of_adverb and token.text.lower() not in KEPT_ADVERBS and not _is_compared(tree, token.head)
    )


def _has_tag(tree: Tree, at: int, tags: tuple[str, ...]) -> bool:
    return any(tree.tokens[one].tag in tags for one in tree.subtree(at))


def _is_compared(tree: Tree, at: int) -> bool:
    return any(tree.tokens[child].text.lower() in ("as", "than") for child in tree.children(at))


def _adjectives(clause: Clause) -> Iterator[frozenset[int]]:
    tree = clause.tree
    for at in clause.places:
        token = tree.tokens[at]
        if token.dep != "amod" or token.pos != "ADJ" or token.tag != "JJ" or token.text[0].isupper():
            continue
        is_idiom = tree.tokens[token.head].lemma in AMOUNTS or tree.tokens[at + 1].text == "enough"
        if (
            is_idiom
            or token.text.lower() not in SPARE_ADJECTIVES
            or tree.children(at, "advmod", "prep", "conj", "cc", "npadvmod", "nummod")
        ):
            continue
        if (at + 1 < len(tree.tokens) and tree.tokens[at + 1].text in ("-", ",")) or (
            at and tree.tokens[at - 1].text in ("-", ",")
        ):
            continue
        noun = tree.tokens[token.head]
        if noun.pos == "NOUN" and token.head > at and _has_other_words(tree, token.head, at):
            yield tree.subtree(at)


AMOUNTS = frozenset(
    {"amount", "deal", "majority", "number", "part", "proportion", "share", "variety"}
)  # "a great deal"


def _has_other_words(tree: Tree, noun: int, but: int) -> bool:
    """Whether a noun keeps an article or another word: "the long bridge", and not "wild animals"."""
    return any(at != but and at < noun for at in tree.children(noun, "det", "poss", "compound", "nummod"))


def _adjuncts(clause: Clause) -> Iterator[frozenset[int]]:
    """Prepositional phrases and adverbial nouns of a verb that has enough without them, the last one first."""
    tree = clause.tree
    found = []
    for at in clause.places:
        token = tree.tokens[at]
        head = tree.tokens[token.head]
        if token.dep == "npadvmod" and head.pos in ("VERB", "AUX") and at == _first_word(tree, at, clause):
            found.append(at)
        if token.dep != "prep" or head.pos not in ("VERB", "AUX") or token.text.lower() not in ADJUNCTS:
            continue
        if _is_spare(tree, at, token.head):
            found.append(at)
    for at in sorted(found, key=lambda at: (_has_fact(tree, at), -at)):
        yield tree.subtree(at)


def _first_word(tree: Tree, at: int, clause: Clause) -> int:
    return at if min(tree.subtree(at)) == clause.places[0] else -1


def _is_spare(tree: Tree, at: int, verb: int) -> bool:
    if at < verb:
        return True
    token = tree.tokens[verb]
    if (
        token.lemma in PLACING
        or _is_idiom(tree, at)
        or (token.lemma == "be" and tree.child(verb, "attr", "acomp") is None)
    ):
        return False
    return any(child < at for child in tree.children(verb, *COMPLEMENTS)) or any(
        verb < child < at for child in tree.children(verb, "prep")
    )


PLACING = frozenset({"keep", "put", "spend"})


def _is_idiom(tree: Tree, at: int) -> bool:
    """Whether a phrase is "in" or "at" with a noun alone, which a verb often needs: in mind, in prison, at sea."""
    noun = tree.child(at, "pobj")
    return noun is not None and tree.tokens[noun].tag == "NN" and noun == at + 1 and not tree.children(noun)


def _has_fact(tree: Tree, at: int) -> bool:
    return any(tree.tokens[one].pos in ("PROPN", "NUM") for one in tree.subtree(at))


def _clauses_of_time(clause: Clause) -> Iterator[frozenset[int]]:
    """Clauses with when, after and the like that end or open the sentence."""
    tree = clause.tree
    for at in clause.places:
        if tree.tokens[at].dep != "advcl" or tree.tokens[at].head != clause.head:
            continue
        if tree.child(clause.head, *COMPLEMENTS) is None:
            continue
        mark = tree.child(at, "mark", "advmod", "prep")
        word = tree.tokens[mark].text.lower() if mark is not None else "to"
        if word in ("when", "while", "after", "before", "since", "as", "although", "though", "whereas"):
            yield tree.subtree(at)


def _of_nouns(clause: Clause) -> Iterator[frozenset[int]]:
    """What is said about a new noun: a prepositional phrase without "of"."""
    tree = clause.tree
    for at in reversed(clause.places):
        token = tree.tokens[at]
        head = tree.tokens[token.head]
        is_about_noun = token.dep == "prep" and head.pos == "NOUN" and token.text.lower() in OF_NOUNS
        known = tree.child(token.head, "det", "poss")
        is_known = known is not None and tree.tokens[known].lemma != "no"  # "no fall in crime"
        is_light = tree.tokens[head.head].lemma in LIGHT_VERBS  # "has its eye on"
        if is_about_noun and is_known and not is_light and head.dep in ("dobj", "pobj", "attr", "nsubj", "nsubjpass"):
            yield tree.subtree(at)


LIGHT_VERBS = frozenset({"give", "have", "keep", "make", "play", "take"})
OF_NOUNS = frozenset({"in", "at", "on", "with", "from", "for", "across", "against", "by", "during", "between", "over"})


def _purposes(clause: Clause) -> Iterator[frozenset[int]]:
    """What something is done for, or by: to help people; by breaking the lid."""
    tree = clause.tree
    for at in reversed(clause.places):
        token = tree.tokens[at]
        has_object = any(child < at for child in tree.children(token.head, *COMPLEMENTS, "prep"))
        is_purpose = token.dep == "advcl" and token.tag == "VB" and tree.child(at, "mark", *SUBJECTS) is None
        is_means = token.dep == "prep" and tree.child(at, "pcomp") is not None and token.text.lower() in MEANS
        if (is_purpose or is_means) and has_object and min(tree.subtree(at)) > token.head:
            yield tree.subtree(at)


MEANS = frozenset({"by", "after", "before", "since", "for", "while", "when", "despite", "in", "with"})


def _listed(clause: Clause) -> Iterator[frozenset[int]]:
    """Later members of a list that is an object: what is true of all is true of the first."""
    tree = clause.tree
    for at in reversed(clause.places):
        token = tree.tokens[at]
        if token.dep != "conj" or token.pos not in ("NOUN", "PROPN"):
            continue
        first = at
        while tree.tokens[first].dep == "conj":
            first = tree.tokens[first].head
        governor = tree.tokens[tree.tokens[first].head]
        is_measure = tree.tokens[first].lemma in UNITS  # "two hours, 25 minutes"
        is_object = (
            tree.tokens[first].dep in ("dobj", "pobj")
            and not is_measure
            and governor.text.lower()
            not in (
                "between",
                "than",
                "without",
            )
        )
        if _is_described(clause, at):
            continue
        if is_object and first == token.head and tree.child(first, "preconj") is None and _links_with_and(tree, first):
            link = tree.children(first, "cc")
            yield frozenset(one for one in range(min([*link, *tree.subtree(at)]), max(tree.subtree(at)) + 1))


def _is_described(clause: Clause, at: int) -> bool:
    """Whether what follows a noun may be about it alone: "water and a card with five questions"."""
    after = max(clause.tree.subtree(at)) + 1
    return clause.has(after) and clause.tree.tokens[after].text in ("about", "for", "of", "with")


UNITS = frozenset(
    {"hour", "minute", "second", "day", "week", "month", "year", "metre", "meter", "foot", "mile", "pound"}
)


def _links_with_and(tree: Tree, at: int) -> bool:
    return all(tree.tokens[one].text.lower() == "and" for one in tree.children(at, "cc"))


RULES: tuple[Rule, ...] = (
    _brackets,
    _examples,
    _adverbs,
    _set_off,
    _adjectives,
    _purposes,
    _adjuncts,
    _clauses_of_time,
    _of_nouns,
    _listed,
)

LIGHT_RULES: tuple[Rule, ...] = (_adverbs, _adjectives, _clauses_of_time, _purposes)
"""Rules for parts that say little or little more."""
