"""What people typed: into a form or an address, as text that can be kept, and which of it is wrong."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request
from starlette.datastructures import UploadFile

from scoop.core import text
from scoop.errors import UsageError

MAX_FIELDS = 5_000  # of one form: a topic of a thousand rules has as many
WHOLE = ""
"""The field under which stands what is wrong with several fields together."""


class FormValues(dict[str, str]):
    """Texts by the names of fields; a field that is not there is blank."""

    def __missing__(self, name: str) -> str:
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadedForm:
    """A form with a file in it, which is empty where none was chosen."""

    fields: FormValues
    file: bytes


async def _sent(request: Request) -> UploadedForm:
    async with request.form(max_fields=MAX_FIELDS) as form:
        fields = ((name, text.readable(value)) for name, value in form.multi_items() if isinstance(value, str))
        files = [value for _, value in form.multi_items() if isinstance(value, UploadFile)]
        return UploadedForm(fields=FormValues(fields), file=await files[0].read() if files else b"")


async def _form(request: Request) -> FormValues:
    return (await _sent(request)).fields


async def _query(request: Request) -> FormValues:
    return FormValues((name, text.readable(value)) for name, value in request.query_params.items())


FormFields = Annotated[FormValues, Depends(_form)]
"""The fields of a form, as an argument of a handler."""
UploadForm = Annotated[UploadedForm, Depends(_sent)]
"""A form with a file in it, as an argument of a handler."""
QueryFields = Annotated[FormValues, Depends(_query)]
"""What an address asks for, as an argument of a handler."""


def lines(typed: str) -> list[str]:
    """A list as people write it: a line each."""
    return [line.strip() for line in typed.splitlines() if line.strip()]


def wrong(given: Mapping[str, Any], build: Callable[[Mapping[str, Any]], Any]) -> FormValues:
    """What is wrong, by field: each is tried by itself where all together cannot be built."""
    try:
        build(given)
    except UsageError as error:
        if _problem({}, build):  # of something else, which would be told of every field
            return FormValues({WHOLE: str(error)})
        each = ((name, _problem({name: value}, build)) for name, value in given.items())
        return FormValues({name: problem for name, problem in each if problem} or {WHOLE: str(error)})
    return FormValues()


def _problem(given: Mapping[str, Any], build: Callable[[Mapping[str, Any]], Any]) -> str | None:
    try:
        build(given)
    except UsageError as error:
        return str(error)
    return None
