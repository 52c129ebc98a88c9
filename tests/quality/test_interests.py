"""How well the local scorer tells which articles are relevant to a reader."""

from pathlib import Path

import pytest

from scoop.evaluation import interests

HERE = Path(__file__).parent / "interests"


@pytest.mark.parametrize(
    ("file", "auc", "average_precision", "precision"),
    [("links.jsonl.gz", 0.965, 0.64, 0.8), ("desk.ndjson", 0.98, 0.95, 0.95)],
)
def test_relevant_articles_come_first_and_seventy_points_are_mostly_right(file, auc, average_precision, precision):
    articles = interests.read(str(HERE / file), interests_file=str(HERE / "interests.json"))
    figures = interests.measure(articles, interests.predict(articles))
    assert figures["auc"] >= auc
    assert figures["ap"] >= average_precision
    assert figures["at70"]["precision"] >= precision


@pytest.mark.parametrize("language", ["en", "ja"])
def test_most_relevant_articles_of_both_languages_reach_seventy_points(language):
    articles = interests.read(str(HERE / "desk.ndjson"), interests_file=str(HERE / "interests.json"))
    points = {(each["id"], each["topic"]): each["score"] for each in interests.predict(articles)}
    own = [points[row.id, topic] for row in articles.rows if row.lang == language for topic in row.topics]
    assert sum(score >= 70 for score in own) / len(own) >= 0.6


def test_an_article_that_names_only_products_of_a_subject_is_nearer_to_it_than_all_others():
    articles = interests.read(str(HERE / "desk.ndjson"), interests_file=str(HERE / "interests.json"))
    points = {each["id"]: each["score"] for each in interests.predict(articles) if each["topic"] == "llm"}
    about = [points[row.id] for row in articles.rows if "llm" in row.topics]
    others = [points[row.id] for row in articles.rows if "llm" not in row.topics]
    assert min(about) >= 2 * max(others)
