"""Which parameter a server refused, by the messages that servers send."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core.briefs import Prompt
from scoop.core.chat_dialects import Dialect, adapted, payload
from scoop.core.model_refusals import Refusal

FIRST = Dialect(json_mode="schema", temperature=0.2)
PROMPT = Prompt(prompt_id="p", prompt_version="1", system="s", user="u", schema={"type": "object"}, max_output_tokens=9)


@pytest.mark.parametrize(
    ("refusal", "change"),
    [
        (
            Refusal(
                message="Unsupported parameter: 'max_tokens' is not supported with this model. "
                "Use 'max_completion_tokens' instead.",
                param="max_tokens",
                code="unsupported_parameter",
            ),
            {"limit_name": "max_completion_tokens"},
        ),
        (
            Refusal(message="Unsupported value: 'temperature' does not support 0.2 with this model.", code="x"),
            {"temperature": None},
        ),
        (Refusal(message="This response_format type is unavailable now"), {"json_mode": "object"}),
        (Refusal(message="'response_format.type' must be 'json_object' or 'text'"), {"json_mode": "object"}),
        (
            Refusal(message="Invalid schema for response_format 'summary'", param="response_format"),
            {"json_mode": "object"},
        ),
        (Refusal(message="Invalid value", param="response_format.type"), {"json_mode": "object"}),
    ],
)
def test_a_refused_parameter_is_replaced(refusal, change):
    assert adapted(FIRST, refusal) == replace(FIRST, **change)


@pytest.mark.parametrize(
    "message",
    [
        "",
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
        "'max_tokens' or 'max_completion_tokens' is too large: 40000. The maximum context length is 8192 tokens.",
        "max_tokens is too large: 5000. This model supports at most 4096 completion tokens.",
        "Invalid model name passed in model=mock",
    ],
)
def test_another_reason_changes_nothing(message):
    assert adapted(FIRST, Refusal(message=message)) is None


def test_a_mode_in_words_has_nothing_weaker():
    last = replace(FIRST, json_mode="text")
    assert adapted(last, Refusal(message="response_format is not supported")) is None


@given(
    st.lists(
        st.text(alphabet="abcdefghijklmnopqrstuvwxyz_ ")
        | st.sampled_from(
            [
                "response_format unsupported",
                "temperature not supported",
                "max_tokens unsupported: max_completion_tokens",
            ]
        ),
        min_size=10,
        max_size=10,
    )
)
def test_adapting_comes_to_an_end(messages):
    steps, dialect = 0, FIRST
    for message in messages:
        following = adapted(dialect, Refusal(message=message))
        steps, dialect = steps + (following is not None), following or dialect
    assert steps <= 4


@given(st.text())
def test_the_name_of_a_schema_is_one_that_openai_accepts(prompt_id):
    name = payload(replace(PROMPT, prompt_id=prompt_id), FIRST, model="m")["response_format"]["json_schema"]["name"]
    assert 1 <= len(name) <= 64
    assert name.isascii()
    assert name.replace("_", "").replace("-", "").isalnum() or set(name) <= set("_-")
