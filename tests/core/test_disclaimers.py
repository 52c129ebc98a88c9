import pytest

from scoop.core import disclaimers
from scoop.core.disclaimers import disclaimer


@pytest.mark.parametrize("language", ["en", "de", "ja", "zh"])
@pytest.mark.parametrize("disclaimer_id", ["extract", "generated"])
def test_every_disclaimer_is_written_in_every_language(disclaimer_id, language):
    assert disclaimer(disclaimer_id, language).language == language


def test_a_variant_has_the_disclaimer_of_its_language():
    assert disclaimer("extract", "zh-Hant") == disclaimer("extract", "zh")


@pytest.mark.parametrize("language", ["fr", "und", ""])
def test_other_languages_have_the_english_one(language):
    assert disclaimer("generated", language) == disclaimer("generated", "en")


def test_an_unknown_id_is_taken_for_a_generated_text():
    assert disclaimer("other", "en").text == disclaimers.TEXTS["generated"]["en"]
