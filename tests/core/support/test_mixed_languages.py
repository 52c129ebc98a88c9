"""Events with articles in two languages: a sentence is judged beside the passages that it cites, in their language."""

import pytest

from scoop.core.briefs import Order, SourceText, summary
from scoop.core.briefs.summary import DraftSentence
from scoop.core.support import CitedClaim, Support
from scoop.core.support.verdicts import judge
from scoop.embedders import local
from scoop.model import Citation

OWN, FOREIGN = 1, 2
EVENTS = {
    "en": (
        (
            "The council of Westerhaven met on Tuesday evening. About 300 people came to the town hall. "
            "Mayor Lena Brandt opened the meeting at seven and thanked the fire brigade."
        ),
        "ja",
        "港は嵐で閉鎖された。修理には14週間かかる。魚市場の売上高は8パーセント増加した。",
    ),
    "de": (
        (
            "Der Rat von Westerhaven kam am Dienstagabend zusammen. Rund 300 Menschen kamen ins Rathaus. "
            "Bürgermeisterin Lena Brandt eröffnete die Sitzung um sieben und dankte der Feuerwehr."
        ),
        "zh",
        "港口因风暴关闭。维修需要14周时间。鱼市场的销售额增长了8%。",
    ),
}
TRUE = {"en": "Repairs will take 14 weeks.", "de": "Die Reparatur dauert 14 Wochen."}


def sources(language: str) -> list[SourceText]:
    own, other, foreign = EVENTS[language]
    return [
        SourceText(document_id=OWN, title="", body_text=own, language=language, publisher="Courier"),
        SourceText(document_id=FOREIGN, title="", body_text=foreign, language=other, publisher="Harbour News"),
    ]


def cited(document_id: int, language: str) -> tuple[Citation, ...]:
    body = sources(language)[document_id - 1].body_text
    return (Citation(document_id=document_id, start=0, end=len(body)),)


def judged(language: str, text: str, citations: tuple[Citation, ...] = ()) -> Support:
    claim = CitedClaim(text=text, language=language, cited=citations)
    return judge([claim], sources(language), embed=local.encode)[0]


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_sentence_that_cites_the_article_in_the_other_language_is_supported_by_it(language):
    support = judged(language, TRUE[language], cited(FOREIGN, language))
    assert support.is_supported
    assert {passage.document_id for passage in support.passages} == {FOREIGN}


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_sentence_without_citations_may_rest_on_either_language(language):
    own = EVENTS[language][0].split(". ")[1] + "."
    assert judged(language, own).passages[0].document_id == OWN
    support = judged(language, TRUE[language])
    assert support.is_supported
    assert {passage.document_id for passage in support.passages} == {FOREIGN}


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_sentence_that_cites_its_own_language_is_judged_by_that_alone(language):
    assert not judged(language, TRUE[language], cited(OWN, language)).is_supported


@pytest.mark.parametrize(
    ("language", "text", "reason"),
    [
        ("en", "Repairs will take 17 weeks.", "the number 17"),
        ("de", "Die Reparatur dauert 17 Wochen.", "the number 17"),
        ("en", "Repairs will take 14 weeks, see www.harbour.example/repairs.", "the link www.harbour.example/repairs"),
        ("de", "„Wir haben das alles nicht kommen sehen“: Die Reparatur dauert 14 Wochen.", "the quotation"),
    ],
)
@pytest.mark.parametrize("citing", [True, False])
def test_numbers_links_and_quotations_that_no_article_has_are_refused_in_either_language(
    language, text, reason, citing
):
    support = judged(language, text, cited(FOREIGN, language) if citing else ())
    assert not support.is_supported
    assert not support.is_open
    assert any(reason in finding for finding in support.findings)


def test_the_other_language_does_not_excuse_an_error_in_a_copy():
    # The Japanese article knows no name that could speak against another one.
    translated = "市長のレナ・ブラント氏は7時に会議を開き、消防隊に感謝した。"
    own = sources("en")[0]
    event = [own, SourceText(document_id=2, title="", body_text=translated, language="ja", publisher="Harbour News")]
    text = "Mayor Oskar Lindqvist opened the meeting at seven and thanked the fire brigade."
    assert not judge([CitedClaim(text=text, language="en")], event, embed=local.encode)[0].is_supported


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_summary_may_begin_with_a_sentence_about_the_article_in_the_other_language(language):
    order = Order(kind="summary", language=language, documents=tuple(sources(language)))
    own = EVENTS[language][0].split(". ")[1] + "."
    drafts = [
        DraftSentence(text=TRUE[language], paragraph=0, citations=cited(FOREIGN, language)),
        DraftSentence(text=own, paragraph=0, citations=cited(OWN, language)),
    ]
    checked = summary.check(drafts, order, embed=local.encode)
    assert [sentence.text for sentence in checked.sentences] == [TRUE[language], own]
