"""The settings of tasks: what the file and the environment may say, and what is refused by its name."""

from typing import Any

import pytest

from scoop import task_settings
from scoop.errors import ConfigError
from scoop.task_settings import TaskSettings


def summary(environ: dict[str, str] | None = None, **section: Any) -> TaskSettings:
    return task_settings.take(environ or {}, {"tasks": {"summary": section}})["summary"]


def test_a_variable_counts_more_than_the_file() -> None:
    taken = summary({"SCOOP_TASKS_SUMMARY_MONEY_PER_DAY": "2.5"}, writer="openai", money_per_day=9, tokens_per_day=1e6)
    assert (taken.writer, taken.money_per_day, taken.tokens_per_day) == ("openai", 2.5, 1_000_000)
    assert (taken.requests_per_day, taken.when_spent) == (1000, "wait")


@pytest.mark.parametrize(
    ("section", "problem"),
    [
        ({"writer": ["openai"]}, "must be a text"),
        ({"writer": 5}, "must be a text"),
        ({"when_spent": "later"}, "must be one of wait, local"),
        ({"when_spent": ["wait"]}, "must be one of wait, local"),
        ({"requests_per_day": [5]}, "a whole number from 0 to"),
        ({"requests_per_day": True}, "a whole number from 0 to"),
        ({"requests_per_day": 2.5}, "a whole number from 0 to"),
        ({"requests_per_day": -1}, "a whole number from 0 to"),
        ({"tokens_per_day": "many"}, "a whole number from 0 to"),
        ({"money_per_day": float("nan")}, "a number from 0 to"),
        ({"money_per_day": float("inf")}, "a number from 0 to"),
        ({"parallel": 0}, "a whole number from 1 to 32"),
        ({"parallel": 33}, "a whole number from 1 to 32"),
    ],
)
def test_a_value_that_cannot_be_is_refused_with_its_variable(section: dict[str, Any], problem: str) -> None:
    (option,) = section
    with pytest.raises(ConfigError, match=problem) as refused:
        summary(**section)
    assert f"SCOOP_TASKS_SUMMARY_{option.upper()}" in str(refused.value)


def test_a_mistyped_task_or_option_is_refused_with_the_one_that_is_meant() -> None:
    with pytest.raises(ConfigError, match="did you mean summary"):
        task_settings.take({}, {"tasks": {"sumary": {}}})
    with pytest.raises(ConfigError, match="did you mean writer"):
        summary(writr="openai")


@pytest.mark.parametrize("task", ["translation", "same_event", "support"])
def test_the_local_writer_is_refused_for_tasks_that_need_a_model(task: str) -> None:
    with pytest.raises(ConfigError, match="the local writer only does"):
        task_settings.take({}, {"tasks": {task: {"writer": "local"}}})
