"""Interests in a form: a row for each topic, or the text of a file; problems are at their row or line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scoop.core import interest_changes, interests
from scoop.core.interests import Interest, Interests, InvalidInterests
from scoop.web import forms
from scoop.web.forms import FormValues

BLANK_ROWS, MORE_ROWS = 3, 8  # for new topics; the second if somebody asks for more
TOPIC_FIELDS = ("topic", "aliases", "priority", "description")
AS_TEXT = "text"
_ALIAS = re.compile(r'\s*"((?:[^"]|"")*)"|([^,，、\r\n]+)')
_SEPARATOR = re.compile(r"[,，、\"]")
_TOPIC_FIELD = re.compile(r"topics\[(\d+)\](?:\.(\w+))?.*")


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedInterests:
    """What somebody typed; `interests` is None if there are problems.

    `problems` has those of a row at its field, as aliases-0, and those of the text or of the whole at WHOLE.
    """

    values: FormValues
    interests: Interests | None
    problems: FormValues

    @property
    def is_text(self) -> bool:
        return self.values["as"] == AS_TEXT


def show(shown: Interests | None, *, as_text: bool = False) -> FormValues:
    """Interests as form values; without any, those of a new curator."""
    if as_text:
        return FormValues({"as": AS_TEXT, "text": interest_changes.write_toml(shown) if shown else ""})
    limits = shown or Interests(topics=())
    rows = {
        f"{field}-{place}": value
        for place, interest in enumerate(limits.topics)
        for field, value in _row(interest).items()
    }
    numbers = {name: str(getattr(limits, name)) for name in interest_changes.LIMITS}
    return FormValues({**numbers, **rows, "rows": str(len(limits.topics))})


def rows(values: FormValues) -> list[FormValues]:
    """The rows of the form that hold something."""
    written = (
        FormValues({field: values[f"{field}-{place}"] for field in TOPIC_FIELDS})
        for place in range(forms.count_rows(values["rows"], most=2 * interests.MAX_TOPICS))
    )
    return [row for row in written if row["topic"] or row["aliases"] or row["description"]]


def read(form: FormValues) -> TypedInterests:
    """The interests of a form; no input is lost."""
    try:
        if form["as"] == AS_TEXT:
            return TypedInterests(values=form, interests=interests.parse_text(form["text"]), problems=FormValues())
        return TypedInterests(values=form, interests=interests.parse(_data(form)), problems=FormValues())
    except InvalidInterests as error:
        return TypedInterests(values=form, interests=None, problems=_problems(error, is_text=form["as"] == AS_TEXT))


def edit(form: FormValues) -> TypedInterests:
    """The interests of a form; if its button asks for text or rows, in that form, unless there are problems."""
    wanted = form["do"]
    if wanted == "more" or (wanted in {"text", "rows"} and is_blank(form)):
        values = {**form, "as": AS_TEXT if wanted == "text" else "", "text": ""} if wanted != "more" else form
        return TypedInterests(values=FormValues(values), interests=None, problems=FormValues())
    typed = read(form)
    if wanted not in {"text", "rows"} or typed.interests is None:
        return typed
    kept = {name: value for name, value in form.items() if name not in {"as", "text"}}
    shown = show(typed.interests, as_text=wanted == "text")
    return TypedInterests(values=FormValues({**kept, **shown}), interests=typed.interests, problems=FormValues())


def shown_rows(values: FormValues) -> list[FormValues]:
    """The rows of the form, and blank ones for more topics."""
    more = MORE_ROWS if values["do"] == "more" else BLANK_ROWS
    return [*rows(values), *[FormValues(priority="medium")] * more]


def is_blank(form: FormValues) -> bool:
    """Whether nobody typed an interest."""
    return not (form["text"].strip() if form["as"] == AS_TEXT else rows(form))


def split_aliases(written: str) -> list[str]:
    """Aliases between commas or on lines; one with a comma is in quotes."""
    found = [quoted.replace('""', '"') if quoted else plain for quoted, plain in _ALIAS.findall(written)]
    return [alias.strip() for alias in found if alias.strip()]


def join_aliases(aliases: tuple[str, ...]) -> str:
    quoted = ('"' + alias.replace('"', '""') + '"' if _SEPARATOR.search(alias) else alias for alias in aliases)
    return ", ".join(quoted)


def _row(interest: Interest) -> dict[str, str]:
    return {
        "topic": interest.topic,
        "aliases": join_aliases(interest.aliases),
        "priority": interest.priority,
        "description": interest.description,
    }


def _data(form: FormValues) -> dict[str, Any]:
    """The rows as the fields of a file; a limit that is blank gets its default."""
    topics = [
        {
            "topic": row["topic"],
            "aliases": split_aliases(row["aliases"]),
            "priority": row["priority"] or "medium",
            "description": row["description"],
        }
        for row in rows(form)
    ]
    return {"topics": topics, **dict(_limits(form))}


def _limits(form: FormValues) -> Iterator[tuple[str, Any]]:
    for name in interest_changes.LIMITS:
        written = form[name].strip()
        if written:
            is_number = written.isascii() and written.isdecimal() and len(written) < 10
            yield name, int(written) if is_number else written


def _problems(error: InvalidInterests, *, is_text: bool) -> FormValues:
    """The problems by field; those of a text are lines."""
    if is_text:
        return FormValues({forms.WHOLE: "\n".join(map(str, error.problems))})
    problems = FormValues()
    for problem in error.problems:
        key = _key(problem.field)
        said = problem.message if key else str(problem)
        problems[key] = f"{problems[key]}; {said}" if problems[key] else said
    return problems


def _key(field: str) -> str:
    """The field of the form that a field of the interests is; WHOLE for all others."""
    if field in interest_changes.LIMITS:
        return field
    place = _TOPIC_FIELD.fullmatch(field)
    return f"{place[2] or 'topic'}-{int(place[1]) - 1}" if place else forms.WHOLE
