"""Reading a source's options: what is wrong is told with the option's name and its valid values."""

import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from scoop.errors import Reject
from scoop.sources import SourceOptions

Own = TypeVar("Own", bound=SourceOptions)

_PLACE = re.compile(r" - at `\$\.(\w+)")
_UNKNOWN = re.compile(r"unknown field `(.+)`")


def checked(kind: type[Own], given: Mapping[str, Any]) -> Own:
    """The options of a kind; Reject with the fix where one is wrong.

    They may come as text, from a command line: numbers as digits, a list with commas.
    """
    try:
        return msgspec.convert({name: _listed(kind, name, value) for name, value in given.items()}, kind, strict=False)
    except msgspec.ValidationError as error:
        raise Reject(_fix(kind, given, str(error))) from error


def _listed(kind: type[SourceOptions], name: str, value: Any) -> Any:
    is_list = name in kind.__struct_fields__ and isinstance(_type_of(kind, name), inspect.VarTupleType)
    return [part.strip() for part in value.split(",")] if is_list and isinstance(value, str) else value


def _fix(kind: type[SourceOptions], given: Mapping[str, Any], reason: str) -> str:
    if unknown := _UNKNOWN.search(reason):
        return f"there is no option {unknown[1]}; there are {', '.join(kind.__struct_fields__)}"
    place = _PLACE.search(reason)
    if not place:
        return reason  # said by the kind itself, of several options together
    name = place[1]
    return f"option {name}: must be {_allowed(_type_of(kind, name))} (is {given[name]!r})"


def _type_of(kind: type[SourceOptions], name: str) -> inspect.Type:
    described = inspect.type_info(kind)
    assert isinstance(described, inspect.StructType)  # noqa: S101  # what a Struct is described as
    return next(field.type for field in described.fields if field.name == name)


def _allowed(expected: inspect.Type) -> str:
    match expected:
        case inspect.Metadata(extra_json_schema={"description": description}):
            return str(description)
        case inspect.UnionType(types=types):
            told = [_allowed(each) for each in types if not isinstance(each, inspect.NoneType)]
            return " or ".join(told)
        case inspect.LiteralType(values=values):
            return f"one of {', '.join(map(str, values))}"
        case inspect.IntType(ge=least, le=most):
            return f"a whole number from {least} to {most}" if most is not None else f"a whole number from {least}"
        case inspect.VarTupleType():
            return "a list of texts"
        case inspect.BoolType():
            return "true or false"
    return "a text"
