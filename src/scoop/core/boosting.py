"""Gradient-boosted trees as plain arrays: what a fitted model needs at run time."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.float32]

ROWS = 1_024  # that are evaluated together; bounds the memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Trees:
    """A classifier of boosted trees: a row of each array is a tree, a column is a node; a leaf points to itself."""

    features: NDArray[np.int16]
    thresholds: Table
    left: NDArray[np.int16]
    right: NDArray[np.int16]
    values: Table
    start: float
    depth: int

    def probabilities(self, table: Table) -> Table:
        parts = [self._scores(table[at : at + ROWS]) for at in range(0, len(table), ROWS)]
        probabilities: Table = (1 / (1 + np.exp(-np.concatenate(parts) - np.float32(self.start)))).astype(np.float32)
        return probabilities

    def _scores(self, table: Table) -> Table:
        """All trees at once: calls have few rows, so a loop over trees would cost more than the arithmetic."""
        count, nodes = self.features.shape
        first = (np.arange(count) * nodes)[:, None]
        flat, starts = np.ascontiguousarray(table).ravel(), np.arange(len(table)) * table.shape[1]
        at = np.broadcast_to(first, (count, len(table)))
        for _ in range(self.depth):
            is_low = flat.take(starts + self.features.take(at)) <= self.thresholds.take(at)
            at = first + np.where(is_low, self.left.take(at), self.right.take(at))
        scores: Table = self.values.take(at).sum(axis=0)
        return scores


def trees_of(arrays: Mapping[str, Any], prefix: str) -> Trees:
    """The trees that a file has under a prefix."""
    return Trees(
        features=arrays[f"{prefix}features"],
        thresholds=arrays[f"{prefix}thresholds"],
        left=arrays[f"{prefix}left"],
        right=arrays[f"{prefix}right"],
        values=arrays[f"{prefix}values"],
        start=float(arrays[f"{prefix}start"]),
        depth=int(arrays[f"{prefix}depth"]),
    )
