"""The accuracy of mentions and sentiment on the sentences of the project."""

from pathlib import Path

from scoop.core.mentions import matcher
from scoop.evaluation import mentions, sentiment

HERE = Path(__file__).parent


def test_names_begin_and_end_where_people_say_in_eleven_languages():
    rows = mentions.rows(str(HERE / "mentions" / "boundaries.ndjson"))
    prepared = matcher.build(mentions.tools(str(HERE / "mentions" / "boundaries.tools.ndjson")))
    assert mentions.measure(rows, mentions.predict(rows, matcher=prepared))["f1"] >= 0.97


def test_languages_without_a_head_of_their_own_are_scored_by_the_pooled_one():
    rows = sentiment.rows(str(HERE / "sentiment" / "languages.ndjson"))
    predictions = sentiment.predict(rows)
    least = {"es": 0.6, "fr": 0.75, "it": 0.65, "pt": 0.6, "ar": 0.5}
    for language, macro_f1 in least.items():
        own = [row for row in rows if row.language == language]
        assert sentiment.measure(own, predictions)["macro_f1"] >= macro_f1, language
