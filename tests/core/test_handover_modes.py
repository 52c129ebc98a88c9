"""Who posts while a desk moves from an older system."""

from itertools import product

import pytest

from scoop.core.handover_modes import Modes
from scoop.model import TopicSettings


def a_topic(**said) -> TopicSettings:
    return TopicSettings(topic_slug="ai_news", topic_name="AI News", **said)


@pytest.mark.parametrize(
    "all_of_them",
    [Modes(), Modes(mode="legacy", publish_v2=False, write_raw_ledger=False), Modes(mode="shadow")],
    ids=["usual", "all off", "shadow"],
)
def test_what_holds_for_all_holds_for_a_topic_that_says_nothing(all_of_them):
    assert all_of_them.of(a_topic()) == all_of_them


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"mode": "legacy"}, Modes(mode="legacy")),
        ({"publish_v2": False}, Modes(publish_v2=False)),
        ({"write_raw_ledger": False}, Modes(write_raw_ledger=False)),
    ],
)
def test_a_topic_may_say_otherwise_for_itself(said, expected):
    assert Modes().of(a_topic(**said)) == expected


def test_a_topic_may_go_ahead_of_all_others():
    behind = Modes(mode="legacy", publish_v2=False, write_raw_ledger=False)
    ahead = a_topic(mode="prod", publish_v2=True, write_raw_ledger=True)
    assert behind.of(ahead) == Modes()


def test_scoop_posts_only_in_prod_and_only_where_it_may():
    posting = [
        (mode, publish)
        for mode, publish in product(["legacy", "shadow", "prod"], [False, True])
        if Modes(mode=mode, publish_v2=publish).posts
    ]
    assert posting == [("prod", True)]
