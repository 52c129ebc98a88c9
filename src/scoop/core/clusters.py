"""Average-linkage clustering, and how well groups agree with gold labels."""

import heapq
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from statistics import fmean

IndexPair = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Agreement of groups with the gold labels; 1 is best for each figure."""

    pairwise_precision: float
    pairwise_recall: float
    pairwise_f1: float
    b_cubed_f1: float
    ari: float


def agreement(labels: Sequence[Hashable], gold: Sequence[Hashable]) -> Agreement:
    """Compare two labellings of the same documents."""
    hits, found_pairs, gold_pairs = map(_pairs_inside, (list(zip(labels, gold, strict=True)), labels, gold))
    precision = hits / found_pairs if found_pairs else 1.0
    recall = hits / gold_pairs if gold_pairs else 1.0
    return Agreement(
        pairwise_precision=precision,
        pairwise_recall=recall,
        pairwise_f1=_f1(precision, recall),
        b_cubed_f1=b_cubed_f1(labels, gold, among=range(len(gold))),
        ari=_adjusted_rand_index(hits, found_pairs, gold_pairs, comb(len(gold), 2)),
    )


def b_cubed_f1(labels: Sequence[Hashable], gold: Sequence[Hashable], *, among: Collection[int]) -> float:
    """B-cubed F1, averaged over the documents at the positions `among`."""
    if not among:
        return 1.0
    sizes, gold_sizes, shared = Counter(labels), Counter(gold), Counter(zip(labels, gold, strict=True))
    pairs = [(labels[position], gold[position]) for position in among]
    precision = fmean(shared[one, other] / sizes[one] for one, other in pairs)
    recall = fmean(shared[one, other] / gold_sizes[other] for one, other in pairs)
    return _f1(precision, recall)


def _pairs_inside(labels: Sequence[Hashable]) -> int:
    """How many pairs have the same label."""
    return sum(comb(size, 2) for size in Counter(labels).values())


def _adjusted_rand_index(hits: int, found_pairs: int, gold_pairs: int, all_pairs: int) -> float:
    """The share of pairs that agree, corrected for chance."""
    expected = found_pairs * gold_pairs / all_pairs if all_pairs else 0.0
    best = (found_pairs + gold_pairs) / 2
    return 1.0 if best == expected else (hits - expected) / (best - expected)


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def list_mixed_groups(groups: Sequence[Hashable], parts: Sequence[Hashable]) -> list[list[list[int]]]:
    """The groups that hold several parts, each as the positions of its parts; those with most wrong pairs first.

    With our groups and gold parts these are wrong joins; the other way round they are wrong splits.
    """
    positions: defaultdict[Hashable, defaultdict[Hashable, list[int]]] = defaultdict(lambda: defaultdict(list))
    for position, (group, part) in enumerate(zip(groups, parts, strict=True)):
        positions[group][part].append(position)
    split = [sorted(group.values(), key=lambda part: (-len(part), part)) for group in positions.values()]
    return sorted((group for group in split if len(group) > 1), key=lambda group: (-_pairs_between(group), group))


def _pairs_between(parts: Sequence[Sequence[int]]) -> int:
    return comb(sum(map(len, parts)), 2) - sum(comb(len(part), 2) for part in parts)


def average_linkage(
    sizes: Mapping[int, int], weights: Mapping[IndexPair, float], *, threshold: float, apart: Iterable[IndexPair] = ()
) -> list[list[int]]:
    """Join the two groups with the highest mean weight until none reaches the threshold, which is above zero.

    `weights` are sums over the pairs of members of two nodes, `sizes` how many members a node has; a missing pair has
    weight 0. Nodes that are kept `apart` are never in one group. Ties go to the smallest nodes, so that the outcome
    depends only on the values.
    """
    linkage = _Linkage(sizes, threshold)
    for one, other in apart:
        linkage.keep_apart(one, other)
    for (one, other), weight in weights.items():
        linkage.link(one, other, weight)
    return linkage.groups()


class _Linkage:
    """Groups by their smallest node, and a heap of the joins that are possible."""

    def __init__(self, sizes: Mapping[int, int], threshold: float) -> None:
        self._threshold = threshold
        self._sizes = dict(sizes)
        self._members = {node: [node] for node in sizes}
        self._weights: dict[int, dict[int, float]] = {node: {} for node in sizes}
        self._offers: list[tuple[float, int, int]] = []
        self._kept_apart: defaultdict[int, set[int]] = defaultdict(set)

    def keep_apart(self, one: int, other: int) -> None:
        self._kept_apart[one].add(other)
        self._kept_apart[other].add(one)

    def link(self, one: int, other: int, weight: float) -> None:
        self._weights[one][other] = self._weights[other][one] = weight
        self._offer(one, other)

    def groups(self) -> list[list[int]]:
        while self._offers:
            distance, one, other = heapq.heappop(self._offers)
            # An offer is stale once one of its groups has grown or was joined to another.
            is_current = other in self._weights.get(one, ()) and self._mean(one, other) == -distance
            if is_current and other not in self._kept_apart[one]:
                self._join(one, other)
        return [sorted(members) for _, members in sorted(self._members.items())]

    def _mean(self, one: int, other: int) -> float:
        return self._weights[one][other] / (self._sizes[one] * self._sizes[other])

    def _offer(self, one: int, other: int) -> None:
        mean = self._mean(one, other)
        if mean >= self._threshold:
            heapq.heappush(self._offers, (-mean, min(one, other), max(one, other)))

    def _join(self, stays: int, goes: int) -> None:
        self._members[stays] += self._members.pop(goes)
        self._sizes[stays] += self._sizes.pop(goes)
        for node in self._kept_apart.pop(goes, ()):
            self.keep_apart(stays, node)
        del self._weights[stays][goes]
        for neighbour, weight in self._weights.pop(goes).items():
            if neighbour != stays:
                del self._weights[neighbour][goes]
                joined = self._weights[stays].get(neighbour, 0.0) + weight
                self._weights[stays][neighbour] = self._weights[neighbour][stays] = joined
        for neighbour in self._weights[stays]:
            self._offer(stays, neighbour)
