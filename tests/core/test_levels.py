"""The level of a text rises with its difficulty, and the rules of a lesson are checked sentence by sentence."""

import pytest

from scoop.core.briefs import SourceText
from scoop.core.levels import check, grammar, measure, reading, vocabulary
from scoop.core.levels.rules import LEVELS, RULES

EASY = "The bridge is old. It is in a small town. People walk on it every day. They like the bridge. It is closed now."
MIDDLE = (
    "The old bridge in the town of Lenn has been closed because engineers found rust in two of its cables. People who "
    "use it every day must now take a ferry. The council said that it would open again in spring."
)
HARD = (
    "Notwithstanding repeated assurances from the municipal authorities, the structural integrity of the suspension "
    "bridge, whose corroded cables were belatedly scrutinised by independent engineers, has deteriorated to an extent "
    "that its indefinite closure was deemed inevitable. Critics contend that chronic underinvestment, compounded by "
    "bureaucratic complacency, precipitated the predicament. Remediation will necessitate substantial expenditure."
)
LESSON = " ".join(["The old bridge is in a small town."] * 9)


def kinds(text, level, sources=()):
    return {one.kind for one in check.check(text, level, sources) if one.is_required}


def test_a_harder_text_has_a_higher_score_and_level():
    easy, middle, hard = map(measure.measure, (EASY, MIDDLE, HARD))
    assert easy.score < middle.score < hard.score
    assert easy.level in {"A1", "A2"}
    assert hard.level in {"C1", "C2"}


def test_the_score_lies_in_the_level_of_every_sentence():
    for one in measure.measure(f"{EASY} {MIDDLE} {HARD}").sentences:
        assert LEVELS[min(int(one.score), 5)] == one.level


def test_the_reasons_name_the_length_the_hard_words_and_the_clauses():
    reasons = " ".join(measure.measure(MIDDLE).reasons)
    assert "words on average" in reasons
    assert "because, who, that" in reasons
    assert "perfect" in reasons


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no words"),
        ("... !?", "no words"),
        ("inflation", "“inflation” is B2"),
        ("日本銀行は金利を上げた。これは大きな決定だ。", "not in English"),
        ("Der Hund liegt unter dem Tisch, weil es regnet und niemand nach Hause kommt.", "not English"),
    ],
)
def test_what_has_no_level_is_refused_with_the_reason(text, reason):
    measured = measure.measure(text)
    assert measured.level is None
    assert reason in measured.reasons[0]


@pytest.mark.parametrize(
    ("text", "caution"),
    [
        (EASY.upper(), "capitals"),
        ("I saw the sea\nThe wind was cold\nA bird was there\nThe day was old", "no full stop"),
        ("Name\tAge\nAnna\tten\nBob\teight\nThe boy\tnine\nThe girl\tfive", "no full stop"),
        (f"{MIDDLE} " * 1_250, "Only the first"),
    ],
)
def test_an_unusual_text_is_measured_with_a_caution(text, caution):
    measured = measure.measure(text)
    assert measured.level is not None
    assert caution in measured.reasons[0]


def test_a_hard_word_has_its_place_and_a_name_is_none():
    text = "The meteorologist Grzegorz Brzeczyk lives in a house. He is happy there. He has a dog."
    words = measure.measure(text).hard_words
    assert [text[word.start : word.end] for word in words] == ["meteorologist"]


@pytest.mark.parametrize(
    ("word", "level", "lemma"),
    [("houses", "A1", "house"), ("ran", "A1", "run"), ("inflation", "B2", "inflation"), ("Children's", "A1", "child")],
)
def test_a_form_has_the_level_and_the_lemma_of_its_word(word, level, lemma):
    assert vocabulary.word_level(word) == level
    assert lemma in vocabulary.lemmas(word)


def test_a_word_of_no_list_has_an_estimated_level():
    assert vocabulary.word_level("zymurgy") is None
    assert vocabulary.estimated_level("zymurgy") == "C2"
    assert vocabulary.word_level("well", "adverb") == "A1"


@pytest.mark.parametrize(
    ("sentence", "forms"),
    [
        ("The town has a closed bridge.", set()),
        ("The council closed the bridge.", {"past"}),
        ("The bridge will open.", {"future"}),
        ("People should take the ferry.", {"modal"}),
        ("Engineers have quickly found rust.", {"perfect"}),
        ("The bridge is closed by the council.", {"passive"}),
    ],
)
def test_the_form_of_the_verb_is_found(sentence, forms):
    assert {found.form for found in grammar.forms(reading.read(sentence)[0])} == forms


def test_a_lesson_within_its_rules_is_not_changed():
    assert check.check(LESSON, "A1") == ()


@pytest.mark.parametrize(
    ("lesson", "kind"),
    [
        ("", "form"),
        ("これは日本語の文章です。とても短いです。", "language"),
        (f"- {LESSON}", "form"),
        (f"**The** {LESSON}", "form"),
        (f"{LESSON} Why is it old?", "form"),
        (f"{LESSON} It is old 😀.", "form"),
        (f"The Old Bridge\n{LESSON}", "form"),
        (f"{LESSON} Unfortunately it is very old now.", "form"),
        ("The old bridge is in a small town.", "length"),
        (f"{LESSON} {LESSON} {LESSON}", "length"),
        (LESSON.replace("town. The", "town and the", 1), "sentence_length"),
    ],
)
def test_a_broken_rule_is_required_to_change(lesson, kind):
    assert kind in kinds(lesson, "A1")


def test_hard_words_and_verb_forms_of_higher_levels_are_advice():
    lesson = " ".join(["The council deemed the indefinite closure inevitable."] * 9)
    found = {one.kind: one for one in check.check(lesson, "A1")}
    assert {"vocabulary", "grammar"} <= found.keys()
    assert not found["vocabulary"].is_required
    assert "deemed" in found["vocabulary"].message


def test_a_number_or_a_name_that_the_source_does_not_have_must_go():
    body = "The old bridge over the Lenn is closed since 1987. Engineers from Kiel found rust in 2 cables."
    source = SourceText(document_id=1, title="Bridge", body_text=body, language="en", publisher="tribune")
    assert "facts" not in kinds("The bridge over the Lenn is closed since 1987.", "A2", [source])
    for invented in ("Engineers found rust in 7 cables.", "Engineers from Oslo found rust in 2 cables."):
        assert "facts" in kinds(invented, "A2", [source])


def test_lost_facts_of_the_lead_are_named():
    source = SourceText(document_id=1, title="", body_text=MIDDLE, language="en", publisher="tribune")
    lost = [one for one in check.check(LESSON, "A2", [source]) if one.kind == "lost_facts"]
    assert "Lenn" in lost[0].message


def test_levels_that_invert_are_found():
    assert measure.inversions([("B1", 2.5), ("A1", 0.4), ("A2", 2.9)]) == [("A2", "B1")]


def test_the_rules_rise_from_level_to_level():
    limits = [RULES[level].most_words for level in LEVELS]
    assert limits == sorted(limits)
