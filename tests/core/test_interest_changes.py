from scoop.core import interest_changes, interests
from scoop.core.interest_changes import InterestChange
from scoop.core.interests import Interest, Interests

MODELS = Interest(
    topic='大規模 "言語" モデル',
    aliases=("LLM", "C:\\models", "Washington, D.C.", "tab\there"),
    priority="high",
    description="Prices, benchmarks.",
)


def test_interests_written_as_toml_are_read_as_the_same():
    written = Interests(topics=(MODELS, Interest(topic="Go")), max_articles=4, min_articles=2, min_relevance_score=0)
    assert interests.parse_text(interest_changes.write_toml(written)) == Interests(
        topics=(
            Interest(
                topic=MODELS.topic,
                aliases=("LLM", "C:\\models", "Washington, D.C.", "tab here"),
                priority="high",
                description=MODELS.description,
            ),
            Interest(topic="Go"),
        ),
        max_articles=4,
        min_articles=2,
        min_relevance_score=0,
    )


def test_changes_name_the_topic_the_field_and_both_values():
    before = Interests(topics=(Interest(topic="Go", aliases=("golang", "gopher")), Interest(topic="Cheese")))
    after = Interests(
        topics=(Interest(topic="Chips"), Interest(topic="Go", aliases=("golang", "Go 1.30"), priority="high")),
        min_relevance_score=60,
    )
    assert interest_changes.list_changes(before, after) == [
        InterestChange(topic="", field="min_relevance_score", removed=("70",), added=("60",)),
        InterestChange(topic="Chips", field="topic", added=("Chips",)),
        InterestChange(topic="Go", field="priority", removed=("medium",), added=("high",)),
        InterestChange(topic="Go", field="aliases", removed=("gopher",), added=("Go 1.30",)),
        InterestChange(topic="Cheese", field="topic", removed=("Cheese",)),
    ]


def test_the_same_interests_in_another_order_have_no_change():
    go, chips = Interest(topic="Go"), Interest(topic="Chips", description="Makers and markets.")
    assert interest_changes.list_changes(Interests(topics=(go, chips)), Interests(topics=(chips, go))) == []


def test_a_topic_in_other_capitals_and_a_removed_description_are_changes_of_one_topic():
    before = Interests(topics=(Interest(topic="golang", description="The language."),))
    after = Interests(topics=(Interest(topic="Golang"),))
    assert interest_changes.list_changes(before, after) == [
        InterestChange(topic="Golang", field="topic", removed=("golang",), added=("Golang",)),
        InterestChange(topic="Golang", field="description", removed=("The language.",)),
    ]
