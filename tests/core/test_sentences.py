"""Sentences are found in every language, and nothing that strangers write makes it slow."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import sentences

PIECES = [
    ". ",
    ".",
    "! ",
    "?",
    "…",
    "...",
    "。",
    "！",
    "「",
    "」",
    "“",
    "”",
    '"',
    "« ",
    " »",
    "\n",
    "\n\n",
    " ",
    "\t",
    "• ",
    "- ",
]
PIECES += [
    "Mr",
    "z.B",
    "3",
    "1,5",
    "A",
    "word",
    "Word",
    "他说",
    "です",
    "と",
    "[1]",
    "a@b.example",
    "https://x.example/?a=b",
    "।",
    "é",
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=80)
LANGUAGES = st.sampled_from(["en", "de", "fr", "es", "it", "nl", "ja", "zh", "zh-Hant", "ko", "und", ""])


def split(text: str, language: str) -> list[str]:
    return [text[start:end] for start, end in sentences.split(text, language)]


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", ["Mr. Smith went to the U.S.", "The trip cost $3.50.", "Nobody paid."]),
        ("en", ["He met J. K. Rowling and Sen. Ann Lee at 5 p.m. Monday.", "They left."]),
        ("en", ['"I left."', '"Why?" she asked.', "It ended."]),
        ("en", ["Write to a.b@post.example or see www.site.example/a?b=c. today it works.", "Yes!"]),
        ("en", ["Sales rose... and fell.", "Then they rose…", "iPhone sales did not."]),
        ("en", ["Yahoo! News said so.[1]", "Others agreed (see p. 5 and No. 7).", "Acme Inc. Chairman Lee did not."]),
        ("de", ["Am 3. Oktober kam z.B. Dr. Huber.", "Er war 17.", "Der Rest ging mit Ludwig XIV. Habsburg."]),
        ("de", ["„Ich gehe.“", "Dann ging er, u.a. mit 1,5 Mio. Euro.", "„Gut!“ sagte sie."]),
        ("fr", ["Il dit : « Je pars. »", "M. Dupont reste.", "Quoi ?", "Non !"]),
        ("es", ["¿Qué pasó en EE.UU. ayer?", "El Sr. López no lo sabe.", "¡Nada!"]),
        ("it", ["Il dott. Rossi è qui.", "«Vado via.»", "Poi, nel 2019, andò via ecc. ecc."]),
        ("nl", ["Dhr. Jansen ging o.a. naar Gent.", "Dat was 3.500 euro.", "Volgens hem wel."]),
        ("ko", ["그는 갔다.", "그녀는 남았다."]),
        ("hi", ["यह एक है।", "यह दो है।"]),
        ("ar", ["كيف حالك؟", "نعم."]),
    ],
)
def test_spaced_sentences_end_at_their_full_stop(language: str, expected: list[str]) -> None:
    assert split(" ".join(expected), language) == expected


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (
            "ja",
            [
                "首相は「行く。戻る。」と述べた。",
                "次の文！",
                "「本当？」と聞いた。",
                "なぜ？と聞いた。",
                "価格は3.5万円。",
            ],
        ),
        ("ja", ["会長は（当時。）辞任した。", "新社長は「やる。」", "市場は驚いた!", "以上"]),
        ("zh", ["他说：“我们走。”", "她没走。", "“好的。”他说。", "《书名》很好！", "真的吗？"]),
        ("zh", ["网址是https://例子.example/?q=1。", "价格为3.5元。"]),
    ],
)
def test_sentences_without_spaces_end_outside_quotations(language: str, expected: list[str]) -> None:
    assert split("".join(expected), language) == expected


def test_headings_and_list_items_are_sentences_without_their_marker() -> None:
    text = "What happened\n\n• one thing\n- another thing\n1. A third. 2. A fourth\n***\nThe end."
    assert split(text, "en") == [
        "What happened",
        "one thing",
        "another thing",
        "1. A third.",
        "2. A fourth",
        "The end.",
    ]


def test_a_line_wrapped_by_a_program_goes_on() -> None:
    text = "This line was wrapped by a program after a good\nmany characters. It ends here."
    assert split(text, "en") == ["This line was wrapped by a program after a good\nmany characters.", "It ends here."]


@given(TEXTS, LANGUAGES)
def test_ranges_are_in_order_trimmed_and_never_overlap(text: str, language: str) -> None:
    end_before = 0
    for start, end in sentences.split(text, language):
        assert end_before <= start < end <= len(text)
        assert text[start:end].strip() == text[start:end]
        end_before = end


@given(TEXTS, LANGUAGES)
def test_no_letter_and_no_digit_is_lost(text: str, language: str) -> None:
    kept = "".join(split(text, language))
    assert [sign for sign in kept if sign.isalnum()] == [sign for sign in text if sign.isalnum()]


@pytest.mark.parametrize("hostile", [". ", ".", "!", "「", "。」", " ", "\n", "Mr. ", ".)", "あ!", "([1]", "・", "1."])
def test_half_a_million_characters_of_anything_are_split(hostile: str) -> None:
    text = (hostile * 500_000)[:500_000] + "x"  # quadratic work would run into the time limit of a test
    ranges = sentences.split(text, "en")
    assert ranges[-1][1] == len(text)
