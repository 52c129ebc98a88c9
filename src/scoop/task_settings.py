"""Settings of the tasks that writers do: which writer, how much a day, how fast."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from scoop.core import suggestions
from scoop.errors import ConfigError

# Every command reads the settings: this module imports no library.

TASKS = ("summary", "translation", "same_event", "evaluation", "lesson", "support", "sentiment", "question")
LOCAL_TASKS = ("summary", "evaluation", "lesson")  # that the local writer does
PREFIX = "SCOOP_TASKS_"
NO_WRITER = "none"
MAX_PARALLEL = 32
MAX_LIMIT = 10**12  # of requests, tokens and money: more is a slip

WhenSpent = Literal["wait", "local"]


def _option(default: Any, about: str) -> Any:
    return field(default=default, metadata={"about": about})


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSettings:
    """The options of one task, as `[tasks.summary]`; a limit of 0 is none."""

    writer: str = _option(NO_WRITER, "The writer plugin: local (inside Scoop), openai, azure, or none.")
    requests_per_day: int = _option(1000, "Requests to the model server a day.")
    tokens_per_day: int = _option(2_000_000, "Tokens a day, of prompts and replies.")
    money_per_day: float = _option(0.0, "Money a day, in the currency of the writer's prices.")
    share_per_source: float = _option(1.0, "The part of a day's budget that one source may use (0.01-1).")
    requests_per_minute: int = _option(60, "Requests a minute.")
    parallel: int = _option(4, "Requests at the same time, of one worker process (1-32).")
    when_spent: WhenSpent = _option("wait", "After that: wait (until tomorrow), or local (the local writer, marked).")


DEFAULTS = {task: TaskSettings(writer="local" if task in LOCAL_TASKS else NO_WRITER) for task in TASKS}
BOUNDS: Mapping[str, tuple[float, float]] = {"parallel": (1, MAX_PARALLEL), "share_per_source": (0.01, 1)}
CHOICES = {"when_spent": ("wait", "local")}
OPTIONS = {option.name: option for option in fields(TaskSettings)}


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSetting:
    """One option of one task with its value, as interfaces show it."""

    task: str
    option: str
    value: Any
    default: Any
    about: str

    @property
    def name(self) -> str:
        return f"tasks.{self.task}.{self.option}"

    @property
    def variable(self) -> str:
        return variable(self.task, self.option)

    @property
    def is_default(self) -> bool:
        return bool(self.value == self.default)

    @property
    def is_notable(self) -> bool:
        """Whether it is shown among all settings: the writer of a task, and what was changed."""
        return self.option == "writer" or not self.is_default


def list_settings(tasks: Mapping[str, TaskSettings]) -> list[TaskSetting]:
    """Every option of every task."""
    return [
        TaskSetting(
            task=task,
            option=name,
            value=getattr(settings, name),
            default=getattr(DEFAULTS[task], name),
            about=option.metadata["about"],
        )
        for task, settings in tasks.items()
        for name, option in OPTIONS.items()
    ]


def variable(task: str, option: str) -> str:
    """The environment variable of an option: SCOOP_TASKS_SUMMARY_WRITER is writer of [tasks.summary]."""
    return f"{PREFIX}{task}_{option}".upper()


def take(environ: Mapping[str, str], values: dict[str, Any]) -> dict[str, TaskSettings]:
    """The settings of every task, from the environment and the values of the file, from which they are removed."""
    sections = values.pop("tasks", {})
    if not isinstance(sections, dict) or not all(isinstance(section, dict) for section in sections.values()):
        raise ConfigError("the setting tasks must be sections that begin with [tasks.NAME], as [tasks.summary]")
    for task in sections:
        if task not in TASKS:
            raise ConfigError(f"there is no task {task!r}{suggestions.question(task, TASKS) or f'; {_listed()}'}")
    return {task: _settings(task, sections.get(task, {}), environ) for task in TASKS}


def _listed() -> str:
    return f"the tasks are {', '.join(TASKS)}"


def unknown_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """The SCOOP_TASKS_* variables that no task has, each with a warning."""
    known = [variable(task, option) for task in TASKS for option in OPTIONS]
    unknown = [name for name in environ if name.startswith(PREFIX) and name not in known]
    return {
        name: f"{name} is not a setting and has no effect{suggestions.question(name, known) or f'; {_listed()}'}"
        for name in unknown
    }


def _settings(task: str, section: Mapping[str, Any], environ: Mapping[str, str]) -> TaskSettings:
    for name in section:
        if name not in OPTIONS:
            question = suggestions.question(name, OPTIONS) or f"; there are {', '.join(OPTIONS)}"
            raise ConfigError(f"[tasks.{task}] has no option {name!r}{question}")
    given = {name: environ.get(variable(task, name)) or section.get(name) for name in OPTIONS}
    values = {name: _value(task, name, value) for name, value in given.items() if value is not None and value != ""}
    default = DEFAULTS[task]
    settings = TaskSettings(**{name: values.get(name, getattr(default, name)) for name in OPTIONS})
    _check_local(task, settings)
    return settings


def _check_local(task: str, settings: TaskSettings) -> None:
    """ConfigError if the local writer, which has no model, is to do what needs one."""
    for name in ("writer", "when_spent"):
        if task not in LOCAL_TASKS and getattr(settings, name) == "local":
            raise ConfigError(
                f"the option {name} of [tasks.{task}] ({variable(task, name)}) is 'local'; the local writer only does "
                f"{', '.join(LOCAL_TASKS)}"
            )


def _value(task: str, name: str, value: Any) -> Any:
    title = f"the option {name} of [tasks.{task}] ({variable(task, name)})"
    if name in CHOICES and value not in CHOICES[name]:
        raise ConfigError(f"{title} is {value!r}; it must be one of {', '.join(CHOICES[name])}")
    kind = type(getattr(DEFAULTS[task], name))
    if kind is not str:
        return _number(title, kind, value, *BOUNDS.get(name, (0, MAX_LIMIT)))
    if not isinstance(value, str):
        raise ConfigError(f"{title} is {value!r}; it must be a text")
    return value


def _number(title: str, kind: type[int] | type[float], value: Any, least: float, most: float) -> int | float:
    """A number of the file or of a variable; ConfigError if it is out of bounds, or not whole but should be."""
    try:
        number = float(str(value))
    except ValueError:
        number = math.nan  # out of all bounds
    if not least <= number <= most or kind(number) != number:
        noun = "a whole number" if kind is int else "a number"
        raise ConfigError(f"{title} is {value!r}; it must be {noun} from {least} to {most:,}")
    return kind(number)
