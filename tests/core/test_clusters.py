import random
from dataclasses import asdict
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core.clusters import (
    Agreement,
    agreement,
    average_linkage,
    b_cubed_f1,
    list_mixed_groups,
    list_undecided,
)

LABELLINGS = st.integers(0, 9).flatmap(
    lambda size: st.tuples(*[st.lists(st.integers(0, 4), min_size=size, max_size=size)] * 2)
)


@st.composite
def graphs(draw):
    """Nodes with sizes, and weights of some pairs of them, as quarters of what the pairs could weigh at most."""
    sizes = draw(st.dictionaries(st.integers(0, 20), st.integers(1, 3), max_size=7))
    quarters = {pair: draw(st.integers(0, 4)) for pair in combinations(sorted(sizes), 2) if draw(st.booleans())}
    return sizes, {(a, b): quarter / 4 * sizes[a] * sizes[b] for (a, b), quarter in quarters.items()}


@st.composite
def graphs_with_strangers(draw):
    sizes, weights = draw(graphs())
    pairs = list(combinations(sorted(sizes), 2))
    return sizes, weights, draw(st.lists(st.sampled_from(pairs), max_size=5)) if pairs else []


THRESHOLDS = st.sampled_from([0.2, 0.25, 0.5, 0.7, 1.0])


# Agreement


@pytest.mark.parametrize(
    ("found", "gold", "figures"),
    [
        ("aabb", "xxyy", (1, 1, 1, 1, 1)),
        ("abcd", "xxyy", (1, 0, 0, 2 / 3, 0)),
        ("aaaa", "xxyy", (1 / 3, 1, 1 / 2, 2 / 3, 0)),
        ("aaab", "xxyy", (1 / 3, 1 / 2, 2 / 5, 12 / 17, 0)),
        ("abab", "xxyy", (0, 0, 0, 1 / 2, -1 / 2)),
        ("abcd", "wxyz", (1, 1, 1, 1, 1)),
        ("aaaa", "wxyz", (0, 1, 0, 2 / 5, 0)),
        ("aaaa", "xxxx", (1, 1, 1, 1, 1)),
        ("a", "x", (1, 1, 1, 1, 1)),
        ("", "", (1, 1, 1, 1, 1)),
    ],
)
def test_figures_that_can_be_worked_out_by_hand(found, gold, figures):
    precision, recall, f1, b_cubed, ari = figures
    compared = agreement(found, gold)
    assert compared.pairwise_precision == pytest.approx(precision)
    assert compared.pairwise_recall == pytest.approx(recall)
    assert compared.pairwise_f1 == pytest.approx(f1)
    assert compared.b_cubed_f1 == pytest.approx(b_cubed)
    assert compared.ari == pytest.approx(ari)


def test_labellings_of_different_documents_are_not_compared():
    with pytest.raises(ValueError, match="zip"):
        agreement("aab", "xxyy")


@given(LABELLINGS)
def test_the_figures_are_those_of_a_count_pair_by_pair(labellings):
    found, gold = labellings
    assert asdict(agreement(found, gold)) == pytest.approx(asdict(counted(found, gold)), abs=1e-9)


def counted(found, gold):
    """The same figures, straight from their definitions."""
    pairs = list(combinations(range(len(gold)), 2))
    kinds = [(found[a] == found[b], gold[a] == gold[b]) for a, b in pairs]
    both, only_found, only_gold, neither = (
        kinds.count(kind) for kind in [(True, True), (True, False), (False, True), (False, False)]
    )
    precision = both / (both + only_found) if both + only_found else 1.0
    recall = both / (both + only_gold) if both + only_gold else 1.0
    weight = (both + only_gold) * (only_gold + neither) + (both + only_found) * (only_found + neither)
    return Agreement(
        pairwise_precision=precision,
        pairwise_recall=recall,
        pairwise_f1=harmonic(precision, recall),
        b_cubed_f1=harmonic(counted_share(found, gold), counted_share(gold, found)),
        ari=2 * (both * neither - only_found * only_gold) / weight if weight else 1.0,
    )


def counted_share(groups, others):
    """Of each document's company in its group, itself included, the share that is of its other group too."""
    shares = []
    for group, other in zip(groups, others, strict=True):
        company = [label for label, its_group in zip(others, groups, strict=True) if its_group == group]
        shares.append(company.count(other) / len(company))
    return sum(shares) / len(shares) if shares else 1.0


def harmonic(one, other):
    return 2 * one * other / (one + other) if one + other else 0.0


@given(LABELLINGS)
def test_the_other_way_round_precision_and_recall_change_places(labellings):
    there, back = agreement(*labellings), agreement(*reversed(labellings))
    assert there.pairwise_precision == back.pairwise_recall
    assert (there.pairwise_f1, there.b_cubed_f1, there.ari) == pytest.approx(
        (back.pairwise_f1, back.b_cubed_f1, back.ari)
    )


@given(st.lists(st.integers(0, 5)), st.permutations(range(6)))
def test_groups_that_only_have_other_names_agree_wholly(gold, names):
    found = [f"group {names[label]}" for label in gold]
    assert set(asdict(agreement(found, gold)).values()) == {1.0}


@given(LABELLINGS, st.randoms(use_true_random=False))
def test_the_order_of_the_documents_changes_nothing(labellings, chance):
    documents = list(zip(*labellings, strict=True))
    chance.shuffle(documents)
    found, gold = zip(*documents, strict=True) if documents else ((), ())
    assert asdict(agreement(found, gold)) == pytest.approx(asdict(agreement(*labellings)))


def test_what_chance_would_give_is_worth_nothing():
    chance = random.Random(1)
    found, gold = ([chance.randrange(20) for _ in range(3000)] for _ in range(2))
    assert agreement(found, gold).ari == pytest.approx(0, abs=0.005)


def test_a_part_of_the_documents_is_measured_in_the_company_of_all():
    found, gold = "aab", "xyy"
    assert b_cubed_f1(found, gold, among=[2]) == pytest.approx(harmonic(1, 1 / 2))
    assert b_cubed_f1(found, gold, among=[0]) == pytest.approx(harmonic(1 / 2, 1))
    assert b_cubed_f1(found, gold, among=[]) == 1


def test_a_pair_that_shares_a_wider_label_is_neither_right_nor_wrong():
    gold, wide = "xxyz", ["w", "w", "w", ""]
    undecided = list_undecided(gold, wide)
    assert undecided == {(0, 2), (1, 2)}
    for found in ("aaab", "aabc", "abac"):
        assert agreement(found, gold, undecided=undecided).pairwise_precision == 1
    assert agreement("aaab", gold, undecided=undecided).b_cubed_f1 == 1
    assert agreement("aabc", gold, undecided=undecided) == agreement("aaab", gold, undecided=undecided)
    assert agreement("aaaa", gold, undecided=undecided).pairwise_precision == pytest.approx(1 / 4)


def test_a_group_with_undecided_pairs_only_is_not_an_error():
    gold, wide = "xxyz", ["w", "w", "w", ""]
    undecided = list_undecided(gold, wide)
    assert list_mixed_groups("aaab", gold, undecided=undecided) == []
    assert list_mixed_groups("aaaa", gold, undecided=undecided) == [[[0, 1], [2], [3]]]


def test_documents_without_wider_labels_are_all_decided():
    assert list_undecided("xyz", ["", "", ""]) == set()


# Wrong joins and splits


def test_groups_of_several_parts_come_with_the_worst_first():
    assert list_mixed_groups("aabbbbcc", "xyuuvvzz") == [[[2, 3], [4, 5]], [[0], [1]]]


def test_the_largest_part_of_a_group_comes_first():
    assert list_mixed_groups("aaaa", "xyyz") == [[[1, 2], [0], [3]]]


@given(LABELLINGS)
def test_nothing_is_mixed_where_all_agree(labellings):
    found, gold = labellings
    is_perfect = agreement(found, gold).b_cubed_f1 == pytest.approx(1)
    assert (list_mixed_groups(found, gold) == list_mixed_groups(gold, found) == []) is is_perfect


# Average linkage


def test_a_chain_of_strong_links_is_not_one_group():
    weights = {(1, 2): 0.9, (2, 3): 0.8, (3, 4): 0.9}
    assert average_linkage(dict.fromkeys(range(1, 5), 1), weights, threshold=0.5) == [[1, 2], [3, 4]]


def test_a_mean_at_the_threshold_is_enough():
    assert average_linkage({1: 1, 2: 1}, {(1, 2): 0.5}, threshold=0.5) == [[1, 2]]


def test_a_large_node_weighs_as_many_as_it_has_members():
    assert average_linkage({1: 4, 2: 1}, {(1, 2): 1.9}, threshold=0.5) == [[1], [2]]
    assert average_linkage({1: 4, 2: 1}, {(1, 2): 2.0}, threshold=0.5) == [[1, 2]]


def test_nodes_without_links_stay_alone():
    assert average_linkage({3: 1, 1: 2}, {}, threshold=0.5) == [[1], [3]]


@given(graphs(), THRESHOLDS)
def test_the_groups_are_those_of_trying_every_pair_at_each_step(graph, threshold):
    sizes, weights = graph
    assert average_linkage(sizes, weights, threshold=threshold) == tried(sizes, weights, threshold)


@given(graphs_with_strangers(), THRESHOLDS)
def test_no_group_holds_two_that_are_kept_apart(graph, threshold):
    sizes, weights, apart = graph
    groups = average_linkage(sizes, weights, threshold=threshold, apart=apart)
    assert groups == tried(sizes, weights, threshold, apart)
    assert not any({one, other} <= set(group) for group in groups for one, other in apart)


def test_whom_one_is_kept_apart_from_its_whole_group_is():
    weights = {(1, 2): 0.9, (2, 3): 0.8, (1, 3): 0.8}
    assert average_linkage(dict.fromkeys((1, 2, 3), 1), weights, threshold=0.5, apart=[(3, 1)]) == [[1, 2], [3]]


@given(graphs(), st.lists(st.sampled_from("xyz"), min_size=21, max_size=21), THRESHOLDS)
def test_pairs_of_one_kind_count_neither_for_nor_against_a_join(graph, letters, threshold):
    sizes, weights = graph
    kinds = {node: letters[node] for node in sizes if letters[node] != "z"}
    groups = average_linkage(sizes, weights, threshold=threshold, kinds=kinds)
    assert groups == tried(sizes, weights, threshold, kinds=kinds)


def test_larger_groups_may_have_a_threshold_of_their_own():
    weights = {(1, 2): 0.9, (1, 3): 0.4, (2, 3): 0.4}
    sizes = dict.fromkeys((1, 2, 3), 1)
    assert average_linkage(sizes, weights, threshold=0.5, larger_threshold=0.4) == [[1, 2, 3]]
    assert average_linkage(sizes, {(1, 3): 0.4}, threshold=0.5, larger_threshold=0.4) == [[1], [2], [3]]


def tried(sizes, weights, threshold, apart=(), kinds=None):
    groups = [[node] for node in sorted(sizes)]
    while True:
        means = [
            (-mean(one, other, sizes, weights, kinds or {}), one, other)
            for one, other in combinations(groups, 2)
            if not any(pair in apart or pair[::-1] in apart for pair in product(one, other))
        ]
        distance, one, other = min(means, default=(0, [], []))
        if -distance < threshold:
            return groups
        groups = sorted([group for group in groups if group not in (one, other)] + [sorted(one + other)])


def mean(one, other, sizes, weights, kinds):
    pairs = [(a, b) for a, b in product(one, other) if a not in kinds or kinds[a] != kinds.get(b)]
    count = sum(sizes[a] * sizes[b] for a, b in pairs)
    return sum(weights.get((min(pair), max(pair)), 0) for pair in pairs) / count if count else 0


@given(graphs(), THRESHOLDS, st.randoms(use_true_random=False))
def test_the_order_of_nodes_and_links_changes_no_group(graph, threshold, chance):
    sizes, weights = graph
    nodes, links = list(sizes.items()), [(pair[:: chance.choice((1, -1))], weight) for pair, weight in weights.items()]
    chance.shuffle(nodes)
    chance.shuffle(links)
    again = average_linkage(dict(nodes), dict(links), threshold=threshold)
    assert again == average_linkage(sizes, weights, threshold=threshold)
