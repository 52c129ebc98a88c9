"""Tears: what a clause shows where words were taken out that the words around them need."""

from collections.abc import Callable, Iterator
from itertools import pairwise

from scoop.core.grading import words
from scoop.core.grading.clauses import Clause
from scoop.core.grading.trees import SUBJECTS, VERBS

RELATIVES = frozenset({"WDT", "WP", "WP$", "WRB"})
DASHES = frozenset({"-", "–", "—", "--"})
NAMING = frozenset(
    {"class", "define", "describe", "label", "portray", "present", "regard", "see", "serve", "treat", "view"}
)
REPORTS = words.words("reports")
OPEN_PAIRS = frozenset({"from", "by", "between"})
NEEDS_PHRASE = frozenset(
    {"amount", "belong", "concentrate", "consist", "cope", "deal", "depend", "refer", "relate", "rely"}
)
PLACING = frozenset({"keep", "let", "put", "spend"})
EQUIPPING = frozenset({"charge", "compare", "equip", "fit", "issue", "provide", "replace", "supply"})

Rule = Callable[[Clause], bool]


def is_torn(clause: Clause) -> bool:
    """Whether words of a clause lost their neighbours: "a -ended strike", "by 43 votes to 22" without the votes."""
    return any(rule(clause) for rule in RULES)


def _gaps(clause: Clause) -> Iterator[tuple[int, int]]:
    """Neighbours of the clause that are none in its sentence."""
    return ((before, after) for before, after in pairwise(clause.places) if after > before + 1)


def touches_hyphen(clause: Clause, part: frozenset[int]) -> bool:
    """Whether a part is half of a word with a hyphen: the "open" of "open-ended"."""
    tokens, first, last = clause.tree.tokens, min(part), max(part)
    joins_next = last + 1 < len(tokens) and tokens[last + 1].text == "-" and not tokens[last].has_space
    return joins_next or (first > 0 and tokens[first - 1].text == "-" and not tokens[first - 1].has_space)


def _splits_hyphen(clause: Clause) -> bool:
    tokens = clause.tree.tokens
    hyphens = [at for at in clause.places if tokens[at].text == "-" and not tokens[at].has_space]
    return any(
        not clause.has(at - 1) or not clause.has(at + 1) for at in hyphens if at and not tokens[at - 1].has_space
    )


def _lost_colon(clause: Clause) -> bool:
    """Whether what followed a colon now follows something else."""
    return any(clause.tree.tokens[after - 1].text in (":", ";") for _, after in _gaps(clause))


def _opens_nothing(clause: Clause) -> bool:
    """Whether a dash or colon has lost what followed it."""
    return any(clause.tree.tokens[before].text in DASHES | {":"} for before, _ in _gaps(clause))


def _lost_first_of_pair(clause: Clause) -> bool:
    """Whether "to" has lost its "from" or "by", or "out of" its number: "bread [from scones] to waffles"."""
    tokens = clause.tree.tokens
    return any(
        (
            tokens[after].text == "to"
            and tokens[after].dep == "prep"
            and any(tokens[at].text.lower() in OPEN_PAIRS for at in range(before + 1, after))
        )
        or (tokens[after].text == "out" and tokens[min(after + 1, len(tokens) - 1)].text == "of")
        for before, after in _gaps(clause)
    )


def _lost_second_of_pair(clause: Clause) -> bool:
    """Whether "both" has lost its "and": "both from GPS [and tracking]"."""
    tokens = clause.tree.tokens
    return any(
        tokens[at].dep == "preconj" and not any(one > at and tokens[one].dep == "cc" for one in clause.places)
        for at in clause.places
    )


def _lost_place(clause: Clause) -> bool:
    """Whether "put" has lost where to: "put the cost [at 4.6 million]"."""
    tree = clause.tree
    return any(
        tree.tokens[at].dep == "prep" and tree.tokens[at].text != "of" and not clause.has(at)
        for verb in clause.places
        if tree.tokens[verb].pos == "VERB" and tree.tokens[verb].lemma in PLACING
        for at in tree.subtree(verb)
        if at > verb
    )


def _is_of_which(clause: Clause) -> bool:
    """Whether the subject is part of another sentence: "about half of which came from donors"."""
    tree, subject = clause.tree, clause.tree.child(clause.head, *SUBJECTS)
    part = tree.subtree(subject) if subject is not None and not clause.lead else frozenset()
    return any(tree.tokens[at].tag in ("WDT", "WP") and tree.tokens[at].dep == "pobj" for at in part)


def _ends_with_preposition(clause: Clause) -> bool:
    """Whether a noun has lost what its last word is about: "his disdain for [the media]"."""
    tree = clause.tree
    last = next((at for at in reversed(clause.places) if tree.tokens[at].pos != "PUNCT"), clause.head)
    return tree.tokens[last].dep == "prep" and tree.tokens[tree.tokens[last].head].pos == "NOUN"


def _lost_with(clause: Clause) -> bool:
    """Whether a verb has lost its "with": "fitted two rats [with devices]"."""
    tree = clause.tree
    return any(
        tree.tokens[at].text == "with" and tree.tokens[at].dep == "prep" and not clause.has(at)
        for verb in clause.places
        if tree.tokens[verb].pos == "VERB" and tree.tokens[verb].lemma in EQUIPPING
        for at in tree.subtree(verb)
    )


def _reports_nothing(clause: Clause) -> bool:
    """Whether somebody says nothing, and something else follows: "he promised, and nobody will lose it"."""
    tokens = [clause.tree.tokens[at] for at in clause.places]
    return any(
        verb.pos == "VERB" and verb.lemma in REPORTS and comma.text == "," and link.tag == "CC"
        for verb, comma, link in zip(tokens, tokens[1:], tokens[2:], strict=False)
    )


def _lost_relative(clause: Clause) -> bool:
    """Whether a relative clause has no relative word any more, or such a word no clause."""
    tree = clause.tree
    relatives = [at for at in clause.places if tree.tokens[at].dep == "relcl" and at != clause.head]
    if any(
        tree.tokens[at].tag in RELATIVES and not clause.has(at)
        for verb in relatives
        for at in tree.subtree(verb)
        if at < verb
    ):
        return True
    tokens = [tree.tokens[at] for at in clause.places]
    while tokens and tokens[-1].pos == "PUNCT":
        tokens.pop()
    return any(
        one.tag in ("WP", "WDT") and other.text == "," and all(token.text != "," for token in tokens[at + 2 :])
        for at, (one, other) in enumerate(pairwise(tokens))
    )


def _joins_relative_to_main(clause: Clause) -> bool:
    """Whether "but who" joins a relative clause to a clause that is none."""
    tokens = [clause.tree.tokens[at] for at in clause.places]
    first = next((at for at, token in enumerate(tokens) if token.tag in RELATIVES), None)
    return first is not None and first > 0 and tokens[first - 1].tag == "CC"


def _has_article_of_other_noun(clause: Clause) -> bool:
    """Whether "a" stands before a plural: "a [struggle of] four years"."""
    tree = clause.tree
    return any(
        tree.tokens[at].lemma in ("a", "an") and tree.tokens[tree.tokens[at].head].tag == "NNS"
        for at, _ in _gaps(clause)
    )


def _joins_without_link(clause: Clause) -> bool:
    """Whether a joined noun has lost its "and"."""
    tokens = clause.tree.tokens
    for before, after in _gaps(clause):
        joined = next((at for at in (after, *clause.tree.ancestors(after)) if tokens[at].dep == "conj"), None)
        is_noun = joined is not None and tokens[joined].pos in ("NOUN", "PROPN") and before < after
        if is_noun and joined is not None and min(clause.tree.subtree(joined)) == after:
            return tokens[before].pos not in ("CCONJ", "PUNCT", "ADV", "SCONJ")
    return False


def _lost_list(clause: Clause) -> bool:
    """Whether "and" has lost a list before it: "its expansion [in the US, UK] and other countries"."""
    tokens = clause.tree.tokens
    return any(
        tokens[after].dep == "cc"
        and tokens[after - 1].pos in ("NOUN", "PROPN")
        and any(tokens[at].text == "," for at in range(before + 1, after))
        for before, after in _gaps(clause)
    )


def _is_list_without_link(clause: Clause) -> bool:
    """Whether verbs are joined by commas alone: "It asks once, shows the answer"."""
    tree = clause.tree
    joined = [at for at in clause.places if tree.tokens[at].dep == "conj" and tree.tokens[at].pos in VERBS]
    has_link = any(tree.tokens[at].dep == "cc" for at in clause.places)
    return any(at != clause.head and tree.tokens[at].head in clause.places for at in joined) and not has_link


def _lost_all_phrases(clause: Clause) -> bool:
    """Whether a verb that had two phrases and nothing else has none: "The judges dealt [in passing] [with it]"."""
    tree = clause.tree
    phrases = [at for at in tree.children(clause.head, "prep") if at > clause.head]
    is_last = not any(at > clause.head and tree.tokens[at].pos != "PUNCT" for at in clause.places)
    least = 1 if tree.tokens[clause.head].lemma in NEEDS_PHRASE else 2
    return is_last and len(phrases) >= least and not any(map(clause.has, phrases))


def _lost_as(clause: Clause) -> bool:
    """Whether a verb has lost its "as": "describe themselves [as employed]"."""
    tree = clause.tree
    return any(
        tree.tokens[at].text.lower() == "as" and tree.tokens[at].dep == "prep" and not clause.has(at)
        for verb in clause.places
        if tree.tokens[verb].pos in VERBS
        for at in tree.children(verb, "prep")
        if at > verb and tree.tokens[verb].lemma in NAMING
    )


def _lost_subject(clause: Clause) -> bool:
    """Whether a verb with a tense follows a gap in which its subject was."""
    tree = clause.tree
    for before, after in _gaps(clause):
        verb = after if tree.tokens[after].dep not in ("aux", "auxpass", "neg") else tree.tokens[after].head
        if (
            verb == clause.head
            or not clause.has(verb)
            or tree.tokens[verb].pos not in VERBS
            or not tree.is_finite(verb)
        ):
            continue
        subjects = tree.children(verb, *SUBJECTS)
        lost = [at for at in subjects if not clause.has(at)]
        if lost or (not subjects and tree.tokens[before].pos in ("NOUN", "PROPN", "PRON", "NUM")):
            return True
    return False


def _disagrees(clause: Clause) -> bool:
    """Whether a verb after a gap does not fit what seems its subject: "residents[, who claim traffic] reduces"."""
    tree = clause.tree
    return any(
        tree.tokens[at].tag == "NNS" and tree.tokens[verb].tag == "VBZ" and not clause.has(verb - 1)
        for verb in clause.places
        for at in tree.children(verb, "nsubj")
        if clause.has(at)
    )


def _leaves_apposition_open(clause: Clause) -> bool:
    """Whether only a first comma sets off what a subject is: "Strydom, a lawyer for a mother said"."""
    tree = clause.tree
    for at in clause.places:
        subject = tree.tokens[at].head
        if tree.tokens[at].dep != "appos" or tree.tokens[subject].dep not in SUBJECTS or not clause.has(subject):
            continue
        part = [one for one in clause.places if one in tree.subtree(at)]
        after = next((one for one in clause.places if one > part[-1]), None)
        is_opened = tree.tokens[part[0] - 1].text == "," and clause.has(part[0] - 1)
        if is_opened and after is not None and tree.tokens[after].pos != "PUNCT":
            return True
    return False


RULES: tuple[Rule, ...] = (
    _splits_hyphen,
    _lost_colon,
    _opens_nothing,
    _lost_first_of_pair,
    _lost_second_of_pair,
    _lost_place,
    _ends_with_preposition,
    _lost_with,
    _reports_nothing,
    _is_of_which,
    _lost_relative,
    _joins_relative_to_main,
    _has_article_of_other_noun,
    _joins_without_link,
    _lost_list,
    _is_list_without_link,
    _lost_all_phrases,
    _lost_as,
    _lost_subject,
    _disagrees,
    _leaves_apposition_open,
)
