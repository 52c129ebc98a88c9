"""Rewriting single sentences: in two where they have two facts, or in the words and lengths of a level."""

from collections.abc import Sequence
from dataclasses import replace

from scoop.core.grading import shortening, split_ranking, splits, statements
from scoop.core.grading.clauses import Clause, whole
from scoop.core.grading.soundness import is_sentence, word_count
from scoop.core.grading.trees import Tree
from scoop.core.levels.rules import RULES, Level

NEVER_LONG = 6  # words: a shorter sentence is not split


def split(trees: Sequence[Tree]) -> list[str]:
    """A sentence as two, where the grammar allows it; what a parser took for more than one has no full stop between."""
    if len(trees) != 1:
        return [whole(tree).text for tree in trees]
    tree, clause = trees[0], whole(trees[0])
    best = split_ranking.best(clause, splits.loose_splits(clause)) if len(tree.tokens) > NEVER_LONG else None
    return [clause.text] if best is None else [best.first.text, best.second.text]


def simplify(tree: Tree, level: Level) -> str:
    """A sentence in easier words, without what it can spare, and in two or more where it is too long for a level."""
    start = replace(shortening.without_asides(whole(tree)), swaps=statements.easier_words(tree, RULES[level].hardest))
    return " ".join(one.text for one in _divided(_lightened(start), RULES[level].sentence_words))


def _lightened(clause: Clause) -> Clause:
    """The clause without the parts that weigh or add, where the rest is a sentence."""
    for part in shortening.droppable(clause, shortening.LIGHT_RULES):
        inside = part & set(clause.places)
        shorter = shortening.drop(clause, inside) if inside else clause
        clause = shorter if is_sentence(shorter) else clause
    return clause


def _divided(clause: Clause, usual: tuple[int, int] | None) -> list[Clause]:
    if usual is None or word_count(clause.text) <= usual[0]:
        return [clause]
    best = split_ranking.best(clause, splits.loose_splits(clause))
    if best is None or not (is_sentence(best.first) and is_sentence(best.second)):
        return [clause]
    return [*_divided(best.first, usual), *_divided(best.second, usual)]
