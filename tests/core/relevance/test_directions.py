"""Common subjects as directions: what articles about a subject have in common, though they do not name it."""

import numpy as np

from scoop.core.interests import Interest, Interests
from scoop.core.relevance import InterestVectors, ScoredText, directions, scoring
from scoop.core.relevance.directions import Directions
from scoop.core.relevance.model import shipped

SPORTS = Directions(
    subjects=("sports",), weights=np.array([[2.0, 0.0]], dtype=np.float32), offsets=np.array([-1.0], dtype=np.float32)
)


def test_a_topic_has_the_direction_of_its_subject_in_any_language_and_others_have_none():
    topics = (
        Interest(topic="harbours"),
        Interest(topic="スポーツ"),
        Interest(topic="Was ich lese", aliases=("Sport",)),
    )
    articles = np.array([[1, 0], [0, 1]], dtype=np.float32)
    found = directions.find(articles, Interests(topics=topics), SPORTS)
    assert found.score.tolist() == [[0, 1, 1], [0, -1, -1]]
    assert found.is_known.tolist() == [[0, 1, 1], [0, 1, 1]]


def test_interests_without_common_subjects_have_no_direction():
    found = directions.find(np.ones((1, 2), dtype=np.float32), Interests(topics=(Interest(topic="harbours"),)), SPORTS)
    assert (found.score.tolist(), found.is_known.tolist()) == ([[0]], [[0]])


def test_an_article_that_names_the_only_topic_in_title_and_text_is_relevant():
    interests = Interests(topics=(Interest(topic="lighthouses"),))
    texts = scoring.texts_to_embed(interests)
    size = shipped().background.articles.shape[1]
    unlike = InterestVectors(
        articles=np.eye(1, size, dtype=np.float32), interests=np.eye(len(texts), size, k=1, dtype=np.float32)
    )
    about = ScoredText(title="Lighthouses of the north", body_text="Ten lighthouses stand on the northern coast.")
    (points,) = scoring.topic_points([about], interests, unlike)
    assert points.item() >= 80
