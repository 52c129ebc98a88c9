"""What of the articles is in a prompt: short ones whole, the others share the room, in tokens and not in characters."""

from dataclasses import replace

import pytest

from scoop.core.briefs import MAX_PROMPT_TOKENS, Order, SourceText, summary
from scoop.core.briefs.prompts import room

TEXTS = {
    "en": "The port of Westerhaven closed two of its five terminals on Monday. ",
    "de": "Der Hafen von Westerhaven schloss am Montag zwei seiner fünf Terminals. ",
    "ja": "ウェスターハーフェン港は月曜日に二つのターミナルを閉鎖した。",
    "zh": "韦斯特港口星期一关闭了五个码头中的两个。",
}


def an_order(*bodies: str, language: str = "en", **changes: int) -> Order:
    documents = tuple(
        SourceText(document_id=number, title="", body_text=body, language=language, publisher="Courier")
        for number, body in enumerate(bodies, start=1)
    )
    return replace(Order(kind="summary", language=language, documents=documents), **changes)


def sent(order: Order) -> list[str]:
    """The text of each document as it is in the prompt."""
    user = summary.prompt(order).user
    return [part.partition("\n</document")[0] for part in user.split("text:\n")[1:]]


def tokens(order: Order) -> int:
    prompt = summary.prompt(order)
    return room.estimate_tokens(prompt.system) + room.estimate_tokens(prompt.user)


def test_short_articles_are_whole_and_a_long_one_has_the_rest_of_the_room():
    short, long = TEXTS["en"] * 5, TEXTS["en"] * 1_000
    order = an_order(long, *[short] * 9)
    first, *others = sent(order)
    assert others == [short] * 9
    assert len(first) > 20_000
    assert MAX_PROMPT_TOKENS - 50 < tokens(order) <= MAX_PROMPT_TOKENS


def test_articles_that_do_not_fit_share_the_room_equally():
    whole, *cut = sent(an_order(TEXTS["en"], *[TEXTS["en"] * 1_000] * 2))
    assert whole == TEXTS["en"]
    assert abs(len(cut[0]) - len(cut[1])) <= 8


@pytest.mark.parametrize("language", TEXTS)
def test_a_prompt_of_long_articles_has_as_many_tokens_in_every_script(language):
    order = an_order(*[TEXTS[language] * 1_000] * 10, language=language)
    assert MAX_PROMPT_TOKENS - 100 < tokens(order) <= MAX_PROMPT_TOKENS


def test_a_character_of_chinese_counts_as_a_token_and_four_letters_do():
    assert room.estimate_tokens("五个码头") == 4
    assert room.estimate_tokens("port of the city") == 4
    assert room.estimate_tokens("порт") == 2


def test_a_writer_with_a_larger_context_reads_more():
    bodies = [TEXTS["en"] * 1_000] * 3
    assert tokens(an_order(*bodies, max_prompt_tokens=24_000)) > 2.5 * tokens(an_order(*bodies))


def test_a_prompt_whose_instructions_need_all_the_room_has_no_text_of_the_articles():
    assert sent(an_order(TEXTS["en"], max_prompt_tokens=10)) == [""]
