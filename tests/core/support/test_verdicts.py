"""Claims against a source in four languages: true ones pass, each kind of error is caught and named."""

from itertools import permutations

import numpy as np
import pytest

from scoop.core.briefs import SourceText
from scoop.core.support import CitedClaim, Support, passages
from scoop.core.support.verdicts import judge
from scoop.model import Citation

TEXTS = {
    "en": (
        "The port of Westerhaven closed two of its five terminals on Monday after a storm damaged the cranes. "
        "Repairs will cost $12 million and take 14 weeks, harbour master Lena Brandt said. "
        "“We lost three cranes in one night,” Brandt told reporters. "
        "About 1,200 dock workers were not paid in March, according to the union Seamark. "
        "Sales at the fish market rose 8 percent in the second quarter. "
        "Details are at https://westerhaven.example/storm."
    ),
    "de": (
        "Der Hafen von Westerhaven hat am Montag zwei seiner fünf Terminals geschlossen, weil ein Sturm Kräne traf. "
        "Die Reparatur kostet 12 Millionen Euro und dauert 14 Wochen, sagte Hafenmeisterin Lena Brandt. "
        "„Wir haben in einer Nacht drei Kräne verloren“, sagte Brandt vor Journalisten. "
        "Rund 1.200 Hafenarbeiter wurden im März nicht bezahlt, teilte die Gewerkschaft Seamark mit. "
        "Der Umsatz des Fischmarkts stieg im zweiten Quartal um 8 Prozent."
    ),
    "ja": (
        "ウェスターハーフェン港は月曜日、嵐でクレーンが壊れたため、五つのターミナルのうち二つを閉鎖した。"
        "港湾局によると、修理には12億円がかかり、14週間を要する。"
        "港長のレナ・ブラント氏は「一晩でクレーンを三台失った」と述べた。"
        "労働組合によると、約1,200人の港湾労働者に3月分の給料が支払われなかった。"
        "魚市場の売上高は第2四半期に8パーセント増加した。"
    ),
    "zh": (
        "韦斯特港口星期一关闭了五个码头中的两个，因为风暴损坏了起重机。"
        "港务局表示，维修将花费12亿元，需要14周时间。"
        "港务局长林伟说：“我们一夜之间失去了三台起重机。”"
        "工会表示，约1200名码头工人3月没有领到工资。"
        "鱼市场第二季度的销售额增长了8%。"
    ),
}

TRUE = [
    ("en", "Repairs will cost $12 million and take 14 weeks, harbour master Lena Brandt said."),
    ("en", "About 1200 dock workers were not paid in March, according to the union Seamark."),
    ("en", "Sales at the fish market rose 8 % in the second quarter."),
    ("en", "“We lost three cranes in one night,” Brandt told reporters."),
    ("de", "Die Reparatur kostet 12 Millionen Euro und dauert 14 Wochen, sagte Hafenmeisterin Lena Brandt."),
    ("de", "Rund 1200 Hafenarbeiter wurden im März nicht bezahlt, teilte die Gewerkschaft Seamark mit."),
    ("de", "Der Umsatz des Fischmarkts stieg im zweiten Quartal um 8 %."),
    ("ja", "港湾局によると、修理には12億円がかかり、14週間を要する。"),
    ("ja", "労働組合によると、約１２００人の港湾労働者に３月分の給料が支払われなかった。"),
    ("ja", "魚市場の売上高は第2四半期に8%増加した。"),
    ("zh", "港务局表示，维修将花费12亿元，需要14周时间。"),
    ("zh", "工会表示，约１２００名码头工人３月没有领到工资。"),
    ("zh", "鱼市场第二季度的销售额增长了8％。"),
]

FALSE = [
    ("en", "number", "Repairs will cost $12 million and take 17 weeks, harbour master Lena Brandt said.", "17"),
    ("de", "number", "Die Reparatur kostet 12 Millionen Euro und dauert 17 Wochen, sagte Lena Brandt.", "17"),
    ("ja", "number", "港湾局によると、修理には12億円がかかり、17週間を要する。", "17"),
    ("zh", "number", "港务局表示，维修将花费12亿元，需要17周时间。", "17"),
    ("en", "unit", "Repairs will cost $12 billion and take 14 weeks, harbour master Lena Brandt said.", "12 billion"),
    ("de", "unit", "Die Reparatur kostet 12 Milliarden Euro und dauert 14 Wochen, sagte Lena Brandt.", "12 Milliarden"),
    ("ja", "unit", "港湾局によると、修理には12万円がかかり、14週間を要する。", "12万"),
    ("zh", "unit", "港务局表示，维修将花费12万元，需要14周时间。", "12万"),
    (
        "en",
        "name",
        "Repairs will cost $12 million and take 14 weeks, harbour master Oskar Lindqvist said.",
        "Lindqvist",
    ),
    ("de", "name", "Die Reparatur dauert 14 Wochen, sagte Hafenmeisterin Olga Lindqvist.", "Lindqvist"),
    ("ja", "name", "港長のマルタ・リンド氏は「一晩でクレーンを三台失った」と述べた。", "リンド"),
    ("en", "date", "The port of Westerhaven closed two of its five terminals on Thursday after a storm.", "Thursday"),
    ("de", "date", "Rund 1.200 Hafenarbeiter wurden im August nicht bezahlt.", "August"),
    ("ja", "date", "労働組合によると、約1,200人の港湾労働者に9月分の給料が支払われなかった。", "9月"),
    ("zh", "date", "工会表示，约1200名码头工人9月没有领到工资。", "9月"),
    ("en", "quote", "“We never saw the storm coming,” Brandt told reporters.", "never saw"),
    ("de", "quote", "„Niemand hat uns vor dem Sturm gewarnt“, sagte Brandt vor Journalisten.", "Niemand"),
    ("ja", "quote", "港長のレナ・ブラント氏は「誰も嵐を知らせてくれなかった」と述べた。", "誰も"),
    ("zh", "quote", "港务局长林伟说：“没有人提前通知我们会有风暴。”", "没有人"),
    ("en", "link", "Sales at the fish market rose 8 percent; see https://fish.example/offer.", "fish.example"),
    ("de", "link", "Der Umsatz des Fischmarkts stieg um 8 Prozent (www.fisch.example/angebot).", "fisch.example"),
    (
        "ja",
        "link",
        "魚市場の売上高は第2四半期に8パーセント増加した。詳しくはhttps://uo.example/aを参照。",
        "uo.example",
    ),
    ("zh", "link", "鱼市场第二季度的销售额增长了8%。详情见https://yu.example/a。", "yu.example"),
    ("en", "negation", "About 1,200 dock workers were paid in March, according to the union Seamark.", "negation"),
    (
        "de",
        "negation",
        "Rund 1.200 Hafenarbeiter wurden im März bezahlt, teilte die Gewerkschaft Seamark mit.",
        "negation",
    ),
    ("ja", "negation", "魚市場の売上高は第2四半期に8パーセント増加しなかった。", "なかった"),
    ("zh", "negation", "鱼市场第二季度的销售额没有增长8%。", "没"),
    (
        "en",
        "attribution",
        "About 1,200 dock workers were not paid in March, according to the Daily Courier.",
        "Courier",
    ),
    ("ja", "attribution", "東西通信によると、修理には12億円がかかり、14週間を要する。", "東西"),
    ("zh", "attribution", "据东方通讯社消息，维修将花费12亿元，需要14周时间。", "东方"),
    ("en", "opposite", "Sales at the fish market fell 8 percent in the second quarter.", "'rose', not 'fell'"),
]


def _source(language: str) -> SourceText:
    return SourceText(document_id=7, title="", body_text=TEXTS[language], language=language, publisher="Courier")


def _judged(language: str, text: str, cited: tuple[Citation, ...] = ()) -> Support:
    return judge([CitedClaim(text=text, language=language, cited=cited)], [_source(language)])[0]


@pytest.mark.parametrize(("language", "text"), TRUE)
def test_a_true_sentence_passes_in_any_spelling_of_its_numbers(language, text):
    support = _judged(language, text)
    assert support.is_supported, support
    assert support.findings == ()


@pytest.mark.parametrize(("language", "kind", "text", "named"), FALSE)
def test_an_error_is_caught_and_named(language, kind, text, named):
    support = _judged(language, text)
    assert not support.is_supported, support
    assert any(named in finding for finding in support.findings), support.findings


def test_passages_are_the_sentences_that_a_claim_rests_on():
    support = _judged("en", "Repairs will cost $12 million and take 14 weeks.")
    first = support.passages[0]
    assert TEXTS["en"][first.start : first.end].startswith("Repairs will cost $12 million")


def test_a_claim_that_cites_the_wrong_passage_is_not_supported():
    start = TEXTS["en"].index("Sales at")
    wrong = Citation(document_id=7, start=start, end=start + 40)
    assert not _judged("en", "Repairs will cost $12 million and take 14 weeks.", (wrong,)).is_supported


def test_a_claim_that_cites_the_right_passage_is_supported():
    start = TEXTS["en"].index("Repairs")
    right = Citation(document_id=7, start=start, end=start + 60)
    support = _judged("en", "Repairs will cost $12 million and take 14 weeks.", (right,))
    assert support.is_supported
    assert [TEXTS["en"][one.start : one.end][:7] for one in support.passages] == ["Repairs"]


@pytest.mark.parametrize(
    "cited",
    [
        Citation(document_id=8, start=0, end=50),
        Citation(document_id=7, start=90_000, end=90_050),
        Citation(document_id=7, start=50, end=50),
    ],
)
def test_a_citation_of_nothing_supports_nothing(cited):
    support = _judged("en", "Repairs will cost $12 million and take 14 weeks.", (cited,))
    assert support.findings == ("the cited passage is not in the sources",)
    assert not support.is_supported


def test_a_claim_in_another_language_is_not_supported_without_an_embedder():
    support = judge([CitedClaim(text="Die Reparatur kostet 12 Millionen Dollar.", language="de")], [_source("en")])[0]
    assert not support.is_supported
    assert "no embedder" in support.findings[0]


def test_a_claim_in_another_language_is_judged_by_meaning_and_numbers():
    claims = [
        CitedClaim(text="Die Reparatur kostet 12 Millionen Dollar und dauert 14 Wochen.", language="de"),
        CitedClaim(text="Die Reparatur kostet 12 Millionen Dollar und dauert 19 Wochen.", language="de"),
        CitedClaim(text="Der Bürgermeister eröffnete am Abend ein Museum für moderne Kunst.", language="de"),
    ]

    def embed(texts):
        meanings = [0 if "Repa" in text else 1 if "Museum" in text else 2 for text in texts]
        return np.eye(3, dtype=np.float32)[meanings]

    supports = judge(claims, [_source("en")], embed=embed)
    assert [support.is_supported for support in supports] == [True, False, False]
    assert "the number 19 is not in the source" in supports[1].findings


def test_no_sources_and_no_words_support_nothing():
    assert not judge([CitedClaim(text="Ships sail.", language="en")], [])[0].is_supported
    assert [support.is_supported for support in judge([CitedClaim(text=" … ", language="en")], [_source("en")])] == [
        False
    ]
    assert judge([], [_source("en")]) == []


def test_a_split_contraction_is_a_negation():
    body = "The roof is n't safe , the engineer said ."
    source = SourceText(document_id=7, title="", body_text=body, language="en", publisher="Courier")
    claims = [CitedClaim(text=text, language="en") for text in (body, "The roof is safe, the engineer said.")]
    assert [support.is_supported for support in judge(claims, [source])] == [True, False]


def test_passages_do_not_depend_on_the_order_of_the_terms():
    # Both of the first sentences cover as much, but the sums of these weights differ in their last digit by order, and
    # every process has its own order of sets.
    text = "Anna painted bridges. Omar repaired harbours. Painted bridges, harbours. Repaired bridges, harbours."
    sources = passages.prepare([SourceText(document_id=1, title="", body_text=text, language="en", publisher="")])
    terms = ("anna", "painted", "bridges", "omar", "repaired", "harbours")
    found = {tuple(passages.search(dict.fromkeys(order).keys(), sources)) for order in permutations(terms)}
    assert len(found) == 1
