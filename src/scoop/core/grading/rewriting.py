"""Rewriting single sentences: in two where they have two facts, or in the words and lengths of a level."""

from collections.abc import Sequence

from scoop.core.grading import split_ranking, splits, statements
from scoop.core.grading.clauses import whole
from scoop.core.grading.trees import Tree
from scoop.core.levels.rules import Level

NEVER_LONG = 6  # words: a shorter sentence is not split


def split(trees: Sequence[Tree]) -> list[str]:
    """A sentence as two, where the grammar allows it; what a parser took for more than one has no full stop between."""
    if len(trees) != 1:
        return [whole(tree).text for tree in trees]
    tree, clause = trees[0], whole(trees[0])
    best = split_ranking.best(clause, splits.loose_splits(clause)) if len(tree.tokens) > NEVER_LONG else None
    return [clause.text] if best is None else [best.first.text, best.second.text]


def simplify(tree: Tree, level: Level) -> str:
    """A sentence at a level, which is a sentence or more; only in easier words, if it cannot be made shorter."""
    return " ".join(one.text for one in statements.statements(tree, level)) or statements.reworded(tree, level)
