"""Labelled articles are read, scored for every topic and measured."""

import json

import pytest

from scoop.errors import InputError
from scoop.evaluation import interests

TOPICS = {
    "rails": {"name": "railways", "aliases": ["trains"], "by_lang": {"ja": {"name": "鉄道", "aliases": ["電車"]}}},
    "birds": {"name": "birds", "aliases": ["sparrow", "owl"]},
}
RELEVANT = {"a": ["rails"], "b": [], "c": ["rails", "birds"], "d": ["birds"], "e": ["rails"], "f": ["birds"]}
SCORES = {"a": (90, 10), "b": (70, 70), "c": (40, 80), "d": (40, 20), "e": (75, 0), "f": (5, 60)}
# Made with an independent implementation of the same definitions.
EXPECTED = {
    "articles": 6,
    "topics": 2,
    "auc": 0.8056,
    "ap": 0.8361,
    "ndcg5": 0.9799,
    "at70": {"precision": 0.6, "recall": 0.5},
}


def a_set(folder, **changes):
    rows = [
        {"id": row, "lang": "en", "title": row, "topics": topics, "day": 1 if row < "d" else 2}
        for row, topics in RELEVANT.items()
    ]
    (folder / "news.jsonl").write_text("\n".join(json.dumps(row | changes) for row in rows))
    (folder / "topics.json").write_text(json.dumps({"news": TOPICS}))
    return interests.read(str(folder / "news.jsonl"), interests_file=str(folder / "topics.json"))


def test_the_figures_are_those_of_an_independent_implementation(tmp_path):
    predictions = [
        {"id": row, "topic": topic, "score": score}
        for row, scores in SCORES.items()
        for topic, score in zip(("rails", "birds"), scores, strict=True)
    ]
    measured = interests.measure(a_set(tmp_path), predictions)
    assert {name: measured[name] for name in EXPECTED} == EXPECTED


def test_an_article_without_a_prediction_ranks_last(tmp_path):
    assert interests.measure(a_set(tmp_path), [{"id": "b", "topic": "rails", "score": 1}])["at70"]["precision"] is None


def test_every_article_is_scored_for_every_topic_also_without_labels(tmp_path):
    articles = a_set(tmp_path, topics=None, title="A sparrow on the railways")
    predictions = interests.predict(articles)
    assert [(one["id"], one["topic"]) for one in predictions] == [(row, topic) for row in RELEVANT for topic in TOPICS]
    assert all(0 <= one["score"] <= 100 for one in predictions)
    assert interests.measure(articles, predictions)["articles"] == 0


def test_topics_are_those_of_the_articles_language_unless_another_is_named(tmp_path):
    articles = a_set(tmp_path, lang="ja", title="新しい電車が走る")
    assert [topic.topic for topic in interests.interests_of(articles.topics, "ja").topics] == ["鉄道", "birds"]
    (own, *_), (english, *_) = interests.predict(articles), interests.predict(articles, aliases_in="en")
    assert own["score"] > english["score"]


def test_a_set_without_topics_is_refused(tmp_path):
    a_set(tmp_path)
    with pytest.raises(InputError, match="other"):
        interests.read(str(tmp_path / "news.jsonl"), interests_file=str(tmp_path / "topics.json"), set_name="other")
