import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoop.core.language import is_in_another_language, is_in_foreign_script, language

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()))
ENGLISH = "The government said on Monday that it would not raise taxes this year."


@pytest.mark.parametrize(
    ("declared", "canonical"),
    [
        ("en", "en"),
        ("EN-us", "en-US"),
        ("en_GB", "en-GB"),
        ("zh-hant", "zh-Hant"),
        ("zh-HANT-tw", "zh-Hant-TW"),
        ("es-419", "es-419"),
        ("de-1996", "de-1996"),
        ("iw", "he"),
        ("eng", "en"),
        (" fr ", "fr"),
        ("en-US-u-hc-h12", "en-US"),
    ],
)
def test_a_declared_language_is_believed_and_spelled_in_one_way(declared, canonical):
    assert language(declared, "これは日本語です") == canonical


@pytest.mark.parametrize("declared", [None, "", "und", "mul", "zxx", "jp", "english", "x-klingon", "12", "e", "en--us"])
def test_a_declaration_that_tells_nothing_is_not_believed(declared):
    assert language(declared, ENGLISH) == "en"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("首相が会見", "ja"),
        ("東京都知事選挙", "ja"),
        ("OpenAI、GPT-5をAPIで公開", "ja"),
        ("中国经济增长", "zh"),
        ("習近平主席會見美國總統", "zh"),
        ("鲜の每日，今天吃什么喝什么", "zh"),
        ("삼성전자 실적", "ko"),
        ("ข่าววันนี้", "th"),
        ("Καλημέρα", "el"),
        ("שלום", "he"),
        ("საქართველო", "ka"),
        ("செய்திகள்", "ta"),
    ],
)
def test_a_script_decides_even_for_short_text(text, expected):
    assert language(None, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ENGLISH, "en"),
        ("Die Regierung will die Steuern in diesem Jahr nicht erhöhen, sagte der Minister.", "de"),
        ("Le président a annoncé lundi une nouvelle réforme des retraites.", "fr"),
        ("El gobierno anunció el lunes que no subirá los impuestos este año.", "es"),
        ("Президент заявил в понедельник, что налоги повышаться не будут.", "ru"),
        ("Президент заявив у понеділок, що податки цього року не підвищуватимуть.", "uk"),
        ("أعلنت الحكومة يوم الاثنين أنها لن ترفع الضرائب هذا العام", "ar"),
        ("The word かわいい is now heard everywhere in the west, say the linguists.", "en"),
        ("Mice without α-synuclein live longer, a study finds.", "en"),
    ],
)
def test_the_words_decide_where_languages_share_a_script(text, expected):
    assert language(None, text) == expected


@pytest.mark.parametrize("text", ["", "123", "😀😀😀", "Bundestag", "iPhone 17", "…"])
def test_too_little_text_is_undetermined(text):
    assert language(None, text) == "und"


@settings(deadline=None)
@given(st.none() | ANY_TEXT, ANY_TEXT)
def test_no_text_breaks_it(declared, text):
    assert language(declared, text)


@given(st.lists(st.text(alphabet="enZHus", min_size=2, max_size=4), min_size=1, max_size=3).map("-".join))
def test_a_canonical_tag_is_its_own(tag):
    canonical = language(tag, "")
    assert language(canonical, "") == canonical


@pytest.mark.parametrize(
    ("sentence", "code", "is_foreign"),
    [
        ("The port closed on Monday.", "en", False),
        ("港は月曜日に閉鎖した。", "en", True),
        ("The word 改善 (kaizen) means improvement.", "en", False),
        ("The port closed on Monday.", "ja", True),
        ("OpenAI、GPT-5をAPIで公開", "ja", False),
        ("OpenAI GPT-5", "ja", False),
        ("항구가 월요일에 문을 닫았다.", "ko-KR", False),
        ("Порт закрылся в понедельник.", "zh", True),
        ("12 %, 14:30", "ja", False),
    ],
)
def test_a_sentence_is_in_a_foreign_script_only_between_east_asian_signs_and_others(sentence, code, is_foreign):
    assert is_in_foreign_script(sentence, code) is is_foreign


GERMAN = "Am Mittwoch wurde der Hafen nach dem Sturm wieder für kleine Schiffe geöffnet."
SPANISH = "El puerto volvió a abrirse el miércoles para los barcos pequeños después de la tormenta."


@pytest.mark.parametrize(
    ("sentence", "code", "is_foreign"),
    [
        (GERMAN, "en", True),
        (GERMAN, "de-AT", False),
        (GERMAN, "es", True),
        (SPANISH, "en", True),
        (SPANISH, "es", False),
        ("Der Hafen ist zu.", "en", False),  # too short to be sure
        ("The daily Süddeutsche Zeitung quoted minister Jürgen Groß on Tuesday.", "en", False),
        ("港は月曜日に閉鎖した。", "en", True),
        (GERMAN, "lb", False),  # a language that the detector does not know
        ("12 %, 14:30", "en", False),
    ],
)
def test_a_sentence_is_in_another_language_where_its_script_or_its_words_surely_are(sentence, code, is_foreign):
    assert is_in_another_language(sentence, code) is is_foreign
