"""Fields of forms and query strings as storable text, and the validation of forms field by field."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request
from starlette.datastructures import UploadFile

from scoop.core import text
from scoop.errors import UsageError

MAX_FIELDS = 5_000  # of one form: a topic with a thousand rules has as many
WHOLE = ""
"""The field of an error that concerns several fields together."""


class FormValues(dict[str, str]):
    """Texts by field name; a missing field is blank."""

    def __missing__(self, name: str) -> str:
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadedForm:
    """A form with a file, which is empty if none was chosen."""

    fields: FormValues
    file: bytes


async def _read_form(request: Request) -> UploadedForm:
    async with request.form(max_fields=MAX_FIELDS) as form:
        fields = ((name, text.readable(value)) for name, value in form.multi_items() if isinstance(value, str))
        files = [value for _, value in form.multi_items() if isinstance(value, UploadFile)]
        return UploadedForm(fields=FormValues(fields), file=await files[0].read() if files else b"")


async def _form_fields(request: Request) -> FormValues:
    return (await _read_form(request)).fields


async def _query_fields(request: Request) -> FormValues:
    return FormValues((name, text.readable(value)) for name, value in request.query_params.items())


FormFields = Annotated[FormValues, Depends(_form_fields)]
"""The fields of a form, as an argument of a handler."""
UploadForm = Annotated[UploadedForm, Depends(_read_form)]
"""A form with a file, as an argument of a handler."""
QueryFields = Annotated[FormValues, Depends(_query_fields)]
"""The parameters of the query string, as an argument of a handler."""


def split_lines(value: str) -> list[str]:
    """The lines of a text area that are not blank."""
    return [line.strip() for line in value.splitlines() if line.strip()]


def count_rows(count: str, *, most: int) -> int:
    """The number of rows that a form says it has, at most `most`; 0 for anything else than a number."""
    is_number = count.isascii() and count.isdecimal() and len(count) < 6
    return min(int(count), most) if is_number else 0


def find_problems(values: Mapping[str, Any], build: Callable[[Mapping[str, Any]], Any]) -> FormValues:
    """The problems by field: if all values together cannot be built, each is tried alone."""
    try:
        build(values)
    except UsageError as error:
        if _problem({}, build):  # the cause is none of the fields, but every one would report it
            return FormValues({WHOLE: str(error)})
        problems = ((name, _problem({name: value}, build)) for name, value in values.items())
        return FormValues({name: problem for name, problem in problems if problem} or {WHOLE: str(error)})
    return FormValues()


def _problem(values: Mapping[str, Any], build: Callable[[Mapping[str, Any]], Any]) -> str | None:
    try:
        build(values)
    except UsageError as error:
        return str(error)
    return None
