"""Names of topics in articles: whole words of any script, with endings, and in compounds."""

import pytest

from scoop.core.relevance import names
from scoop.core.relevance.names import COMPOUND, INFLECTED, OTHER_CASE, PART, WHOLE

ABSENT = 0.0


def sureness(name: str, written: str) -> float:
    """How sure it is that a title names the topic."""
    return float(names.find([(written, "")], [names.name_of(name)]).title[0, 0])


@pytest.mark.parametrize(
    ("name", "written", "expected"),
    [
        ("Kubernetes", "Upgrading kubernetes in an hour", WHOLE),
        ("zero-knowledge", "A zero knowledge proof in ten lines", WHOLE),
        ("compiler", "Two compilers compared", INFLECTED),
        ("batteries", "A battery that lasts ten years", WHOLE),
        ("chip", "The chips are scarce", INFLECTED),
        ("art", "A new start for the party", ABSENT),
        ("Go", "Go 1.23 is out", WHOLE),
        ("Go", "Ten years ago", ABSENT),
        ("Go", "Where the old ferries go", OTHER_CASE),
        ("Rust", "How to keep a bridge from rust", OTHER_CASE),
        ("C", "Memory safety in C", WHOLE),
        ("C", "Memory safety in C++", ABSENT),
        ("C++", "Memory safety in C++", WHOLE),
        ("C", "Memory safety in C#", ABSENT),
    ],
)
def test_an_english_name_is_a_word_of_its_own(name, written, expected):
    assert sureness(name, written) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "written", "expected"),
    [
        ("Batterie", "Batterien werden billiger", INFLECTED),
        ("Museum", "Das Dach des Museums ist dicht", INFLECTED),
        ("Halbleiter", "Eine Halbleiterfabrik bei Dresden", COMPOUND),
        ("Theater", "Das Burgtheater öffnet wieder", COMPOUND),
        ("Koch", "Die Kocherei hat ein Ende", ABSENT),
        ("ÖVP", "Die ÖVP berät über den Haushalt", WHOLE),
    ],
)
def test_a_german_name_may_have_an_ending_or_be_part_of_a_compound(name, written, expected):
    assert sureness(name, written) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "written", "expected"),
    [
        ("半導体", "熊本の半導体工場が稼働", WHOLE),
        ("生成AI", "企業で生成AIの利用が広がる", WHOLE),
        ("LLM", "国産LLMを公開", WHOLE),
        ("サッカー", "サッカー日本代表が勝利", WHOLE),
        ("ロボット", "介護ロボットアームを開発", COMPOUND),
        ("アニメ", "アニメーションの歴史", COMPOUND),
        ("川", "川の水位が上がる", PART),
        ("量子コンピュータ", "ﾘｮｳｼではなく量子コンピュータの話", WHOLE),
        ("足球", "中国足球队获胜", WHOLE),
        ("大模型", "国产大模型价格下降", WHOLE),
        ("AI", "国产AI芯片发布", WHOLE),
        ("篮球", "足球比赛开始", ABSENT),
    ],
)
def test_a_japanese_or_chinese_name_is_found_without_spaces(name, written, expected):
    assert sureness(name, written) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "written", "expected"),
    [
        ("반도체", "반도체 수출 증가", WHOLE),
        ("반도체", "반도체를 수출한다", INFLECTED),
        ("반도체", "차세대반도체 공장", COMPOUND),
        ("축구", "축구가 시작됐다", INFLECTED),
        ("배터리", "자동차 시장", ABSENT),
    ],
)
def test_a_korean_name_may_have_a_particle(name, written, expected):
    assert sureness(name, written) == pytest.approx(expected)


def test_the_lead_and_the_number_of_mentions_are_counted_apart_from_the_title():
    body = f"Postgres is fast. {'Other words follow here. ' * 40}Postgres again."
    found = names.find([("A database", body)], [names.name_of("Postgres")])
    assert (float(found.title[0, 0]), float(found.lead[0, 0]), float(found.count[0, 0])) == (0, WHOLE, 2 * WHOLE)
