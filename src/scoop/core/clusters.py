"""Average-linkage clustering, and how well groups agree with gold labels."""

import heapq
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
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


def agreement(
    labels: Sequence[Hashable], gold: Sequence[Hashable], *, undecided: Collection[IndexPair] = ()
) -> Agreement:
    """Compare two labellings of the same documents.

    `undecided` are pairs of documents of two gold labels that may as well be together: no figure counts them.
    """
    hits, found_pairs, gold_pairs = map(_pairs_inside, (list(zip(labels, gold, strict=True)), labels, gold))
    found_pairs -= sum(labels[one] == labels[other] for one, other in undecided)
    precision = hits / found_pairs if found_pairs else 1.0
    recall = hits / gold_pairs if gold_pairs else 1.0
    return Agreement(
        pairwise_precision=precision,
        pairwise_recall=recall,
        pairwise_f1=_f1(precision, recall),
        b_cubed_f1=b_cubed_f1(labels, gold, among=range(len(gold)), undecided=undecided),
        ari=_adjusted_rand_index(hits, found_pairs, gold_pairs, comb(len(gold), 2) - len(undecided)),
    )


def b_cubed_f1(
    labels: Sequence[Hashable],
    gold: Sequence[Hashable],
    *,
    among: Collection[int],
    undecided: Collection[IndexPair] = (),
) -> float:
    """B-cubed F1, averaged over the documents at the positions `among`.

    The precision of a document is the share of its group with its gold label, itself included; documents of the group
    that form an undecided pair with it are left out.
    """
    if not among:
        return 1.0
    sizes, gold_sizes, shared = Counter(labels), Counter(gold), Counter(zip(labels, gold, strict=True))
    ignored = Counter(position for pair in undecided if labels[pair[0]] == labels[pair[1]] for position in pair)
    hits = {position: shared[labels[position], gold[position]] for position in among}
    precision = fmean(hits[position] / (sizes[labels[position]] - ignored[position]) for position in among)
    recall = fmean(hits[position] / gold_sizes[gold[position]] for position in among)
    return _f1(precision, recall)


def list_undecided(gold: Sequence[Hashable], wide: Sequence[Collection[Hashable]]) -> set[IndexPair]:
    """The pairs of documents whose gold labels differ and whose wider labels share one."""
    positions: defaultdict[Hashable, list[int]] = defaultdict(list)
    for position, labels in enumerate(wide):
        for label in labels:
            positions[label].append(position)
    return {
        (one, other)
        for together in positions.values()
        for one, other in combinations(together, 2)
        if gold[one] != gold[other]
    }


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


def list_mixed_groups(
    groups: Sequence[Hashable], parts: Sequence[Hashable], *, undecided: Collection[IndexPair] = ()
) -> list[list[list[int]]]:
    """The groups that hold several parts, each as the positions of its parts; those with most wrong pairs first.

    With our groups and gold parts these are wrong joins; the other way round they are wrong splits. A group whose parts
    differ only by undecided pairs is right.
    """
    positions: defaultdict[Hashable, defaultdict[Hashable, list[int]]] = defaultdict(lambda: defaultdict(list))
    for position, (group, part) in enumerate(zip(groups, parts, strict=True)):
        positions[group][part].append(position)
    ignored = Counter(groups[one] for one, other in undecided if groups[one] == groups[other])
    mixed = [
        (_pairs_between([*by_part.values()]) - ignored[group], sorted(by_part.values(), key=_largest_first))
        for group, by_part in positions.items()
    ]
    return [by_size for wrong, by_size in sorted(mixed, key=lambda one: (-one[0], one[1])) if wrong > 0]


def _largest_first(part: Sequence[int]) -> tuple[int, Sequence[int]]:
    return -len(part), part


def _pairs_between(parts: Sequence[Sequence[int]]) -> int:
    return comb(sum(map(len, parts)), 2) - sum(comb(len(part), 2) for part in parts)


def average_linkage(
    sizes: Mapping[int, int],
    weights: Mapping[IndexPair, float],
    *,
    threshold: float,
    larger_threshold: float | None = None,
    kinds: Mapping[int, Hashable] | None = None,
    apart: Iterable[IndexPair] = (),
    together: Iterable[IndexPair] = (),
) -> list[list[int]]:
    """Join the two groups with the highest mean weight until none reaches the threshold, which is above zero.

    `weights` are sums over the pairs of members of two nodes, `sizes` how many members a node has; a missing pair has
    weight 0. Two nodes of one of the `kinds` tell nothing about each other: their pairs count neither for nor against
    a join. `larger_threshold` applies to groups of more than two members. Nodes that belong `together` are in one
    group, nodes that are kept `apart` never, and the latter comes first. Ties go to the smallest nodes, so that the
    outcome depends only on the values.
    """
    linkage = _Linkage(sizes, threshold, larger_threshold or threshold, kinds or {})
    for one, other in apart:
        linkage.keep_apart(one, other)
    for (one, other), weight in weights.items():
        linkage.link(one, other, weight)
    for one, other in sorted(together):
        linkage.join(one, other)
    return linkage.groups()


class _Linkage:
    """Groups by their smallest node, and a heap of the joins that are possible."""

    def __init__(
        self, sizes: Mapping[int, int], threshold: float, larger_threshold: float, kinds: Mapping[int, Hashable]
    ) -> None:
        self._threshold = threshold
        self._larger_threshold = larger_threshold
        self._sizes = dict(sizes)
        self._kinds = {node: Counter({kinds[node]: size} if node in kinds else {}) for node, size in sizes.items()}
        self._members = {node: [node] for node in sizes}
        self._weights: dict[int, dict[int, float]] = {node: {} for node in sizes}
        self._offers: list[tuple[float, int, int]] = []
        self._kept_apart: defaultdict[int, set[int]] = defaultdict(set)

    def keep_apart(self, one: int, other: int) -> None:
        self._kept_apart[one].add(other)
        self._kept_apart[other].add(one)

    def link(self, one: int, other: int, weight: float) -> None:
        if self._telling_pairs(one, other):
            self._weights[one][other] = self._weights[other][one] = weight
            self._offer(one, other)

    def join(self, one: int, other: int) -> None:
        """Join the groups of two nodes, unless they are kept apart."""
        stays, goes = sorted(self._group_of(node) for node in (one, other))
        if stays != goes and goes not in self._kept_apart[stays]:
            self._weights[stays].setdefault(goes, 0.0)
            self._weights[goes].setdefault(stays, 0.0)
            self._join(stays, goes)

    def _group_of(self, node: int) -> int:
        return next(group for group, members in self._members.items() if node in members)

    def groups(self) -> list[list[int]]:
        while self._offers:
            distance, one, other = heapq.heappop(self._offers)
            # An offer is stale once one of its groups has grown or was joined to another.
            is_current = other in self._weights.get(one, ()) and self._mean(one, other) == -distance
            if is_current and other not in self._kept_apart[one]:
                self._join(one, other)
        return [sorted(members) for _, members in sorted(self._members.items())]

    def _mean(self, one: int, other: int) -> float:
        return self._weights[one][other] / self._telling_pairs(one, other)

    def _telling_pairs(self, one: int, other: int) -> int:
        """How many pairs of members are not of one kind."""
        ours, theirs = self._kinds[one], self._kinds[other]
        return self._sizes[one] * self._sizes[other] - sum(count * theirs[kind] for kind, count in ours.items())

    def _offer(self, one: int, other: int) -> None:
        mean = self._mean(one, other)
        is_larger = self._sizes[one] + self._sizes[other] > len((one, other))
        if mean >= (self._larger_threshold if is_larger else self._threshold):
            heapq.heappush(self._offers, (-mean, min(one, other), max(one, other)))

    def _join(self, stays: int, goes: int) -> None:
        self._members[stays] += self._members.pop(goes)
        self._sizes[stays] += self._sizes.pop(goes)
        self._kinds[stays] += self._kinds.pop(goes)
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
