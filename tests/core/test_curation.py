"""Which articles a curator posts, and what becomes of the others."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import curation
from scoop.core.curation import ArticleEvaluation, RelevantArticle, StoredOutcome
from scoop.core.interests import Interest, Interests
from scoop.core.relevance import ScoreParts

NOON = datetime(2026, 11, 17, 12, tzinfo=UTC)
INTERESTS = Interests(
    topics=(
        Interest(topic="Go", priority="high"),
        Interest(topic="PostgreSQL"),
        Interest(topic="Keyboards", priority="low"),
    ),
    max_articles=3,
    min_articles=2,
)


def an_article(number, score, *topics, event_id=None, **changes):
    return RelevantArticle(
        evaluation_id=number,
        story_id=number,
        event_id=event_id or number,
        score=score,
        parts={"topic_match": 30},
        matching_topics=topics or ("PostgreSQL",),
        reasoning="It is about databases.",
        seen_at=NOON - timedelta(hours=number),
        **{"title": f"Article {number}", **changes},
    )


def an_evaluation(score, *topics):
    parts = ScoreParts(topic_match=0, concreteness=0, practicality=0, depth=0)
    return ArticleEvaluation(score=score, parts=parts, matching_topics=topics, summary="s", reasoning="r")


def selected(*articles, interests=INTERESTS):
    choices = curation.select(articles, interests)
    return [choice.story_id for choice in sorted(choices, key=lambda each: each.rank or 99) if choice.rank]


def reason_of(number, *articles):
    return next(choice for choice in curation.select(articles, INTERESTS) if choice.story_id == number).reason


@pytest.mark.parametrize(
    ("evaluation", "reason"),
    [
        (an_evaluation(70, "Go"), None),
        (an_evaluation(69, "Go"), "low_relevance"),
        (an_evaluation(95), "no_topic_match"),
        (an_evaluation(0, "Go"), "low_relevance"),
    ],
)
def test_an_article_is_relevant_if_a_topic_matches_and_it_reaches_the_minimum(evaluation, reason):
    assert curation.outcome(evaluation, INTERESTS) == reason


def an_outcome(score, *topics, **changes):
    given = {"state": "rejected", "provider": "openai", "model": "gpt-4o-mini"}
    return StoredOutcome(relevance_score=score, matching_topics=topics, **{**given, **changes})


@pytest.mark.parametrize(
    ("stored", "is_posted", "problem"),
    [
        ((), False, ""),
        ((), True, "already posted, or its post is on its way"),
        ([an_outcome(95, "Go", state="notified")], False, "already posted, or its post is on its way"),
        ([an_outcome(80)], False, "evaluated by gpt-4o-mini without this topic: stays rejected"),
        ([an_outcome(80, "Cheese")], False, "evaluated by gpt-4o-mini without this topic: stays rejected"),
        ([an_outcome(60, "Go")], False, "evaluated by gpt-4o-mini with 60 points: stays rejected"),
        ([an_outcome(75, "Go")], False, ""),
        ([an_outcome(10, provider="local", model="relevance-2")], False, ""),
        ([an_outcome(None, state="waiting", provider=None, model=None)], False, ""),
        ([an_outcome(None, provider=None, model=None)], False, "rejected without an evaluation: stays rejected"),
        ([an_outcome(10), an_outcome(75, "Go", state="relevant")], False, ""),
    ],
)
def test_what_keeps_a_gained_article_out_is_what_the_curator_remembers_of_it(stored, is_posted, problem):
    assert curation.kept_out(stored, INTERESTS, is_posted=is_posted) == problem


def test_an_important_topic_outweighs_points():
    assert selected(an_article(1, 95, "Keyboards"), an_article(2, 72, "Go"), an_article(3, 80)) == [2, 3, 1]


def test_a_second_article_of_a_topic_counts_less_than_the_first_of_another():
    articles = [an_article(1, 95), an_article(2, 94), an_article(3, 90, "Go", "Keyboards"), an_article(4, 85, "Go")]
    assert selected(*articles) == [3, 4, 1]


def test_an_event_is_posted_by_one_article():
    articles = [an_article(1, 90), an_article(2, 95, event_id=1), an_article(3, 71)]
    assert selected(*articles) == [2, 3]
    assert reason_of(1, *articles) == "another article about the same event is chosen: Article 2"


def test_a_suppressed_article_is_not_posted_and_says_so():
    articles = [an_article(1, 99, suppression_reason="an advertisement"), an_article(2, 71)]
    assert selected(*articles) == [2]
    assert reason_of(1, *articles) == "suppressed: an advertisement"


def test_what_is_left_out_says_that_it_is_relevant():
    articles = [an_article(number, 90 - number) for number in range(1, 6)]
    assert reason_of(5, *articles) == "relevant, but not among the best 3"


ONE = [an_article(1, 90, "Go")]
THREE = [*ONE, an_article(2, 80, "Keyboards", "PostgreSQL"), an_article(3, 80, "Keyboards")]


def test_the_overview_names_the_best_article_and_the_main_topics_of_the_others():
    assert curation.overview(THREE, INTERESTS) == (
        "“Article 1” leads today, about Go. The other 2 articles are about PostgreSQL and Keyboards."
    )
    assert curation.overview(THREE[:2], INTERESTS).endswith(" The other article is about PostgreSQL.")
    assert curation.overview([], INTERESTS) == ""


@pytest.mark.parametrize(
    ("language", "one", "three"),
    [
        (
            "en",
            (
                "“Article 1” is today's article, about Go. "
                "Fewer than the 2 you asked for: no other article reached 70 points."
            ),
            "“Article 1” leads today, about Go. The other 2 articles are about PostgreSQL and Keyboards.",
        ),
        (
            "de-AT",
            (
                "„Article 1“ ist der Artikel des Tages, zum Thema Go. "
                "Weniger als die gewünschten 2: Kein anderer Artikel erreichte 70 Punkte."
            ),
            (
                "An erster Stelle steht heute „Article 1“, zum Thema Go. "
                "Die anderen 2 Artikel betreffen PostgreSQL und Keyboards."
            ),
        ),
        (
            "ja",
            (
                "本日の記事はGoに関する「Article 1」の1本です。"
                "ご希望の2本には届きませんでした。70点に達した記事はほかにありません。"
            ),
            "本日の必読記事はGoに関する「Article 1」です。ほかにPostgreSQL、Keyboardsに関する記事が2本あります。",
        ),
        (
            "zh",
            "今天的文章是“Article 1”，主题为Go。少于您要求的2篇：没有其他文章达到70分。",
            "今天的重点是“Article 1”，主题为Go。另外2篇文章的主题为PostgreSQL和Keyboards。",
        ),
    ],
)
def test_the_overview_is_in_the_language_of_the_curator_and_tells_if_there_are_too_few(language, one, three):
    assert curation.overview(ONE, INTERESTS, language) == one
    assert curation.overview(THREE, INTERESTS, language) == three


def test_a_long_headline_leaves_room_for_the_rest_of_the_overview():
    article = an_article(1, 90, "Go", title="{words} " * 60)
    written = curation.overview([article], INTERESTS)
    assert written.startswith("“{words} {words}")
    assert written.endswith("reached 70 points.")
    assert len(written) < 300


@given(
    st.lists(
        st.tuples(st.integers(0, 100), st.sampled_from(["Go", "PostgreSQL", "Gone"]), st.integers(1, 5)), max_size=30
    )
)
def test_every_article_has_one_choice_and_no_event_is_posted_twice(drawn):
    articles = [an_article(n, score, topic, event_id=event) for n, (score, topic, event) in enumerate(drawn, 1)]
    choices = curation.select(articles, INTERESTS)
    assert sorted(choice.story_id for choice in choices) == [article.story_id for article in articles]
    ranked = sorted((choice for choice in choices if choice.rank), key=lambda choice: choice.rank)
    assert [choice.rank for choice in ranked] == list(range(1, len(ranked) + 1))
    events = [next(each.event_id for each in articles if each.story_id == choice.story_id) for choice in ranked]
    assert len(set(events)) == len(events) == min(3, len({article.event_id for article in articles}))


@given(st.permutations(range(1, 8)))
def test_the_order_of_the_candidates_changes_nothing(order):
    articles = {n: an_article(n, 70 + 3 * (n % 4), ("Go", "PostgreSQL")[n % 2]) for n in range(1, 8)}
    assert selected(*(articles[n] for n in order)) == selected(*articles.values())
