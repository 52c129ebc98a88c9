"""The options of a kind of source or channel as fields of a form: what each is, and what it may be."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
from msgspec import inspect

from scoop.core import redaction
from scoop.http import permissions
from scoop.web import forms

PREFIX = "option-"

FieldShape = Literal["choice", "check", "number", "list", "text", "either"]  # either: true, or a text
_TOLD = re.compile(r"`(\w+)`: (.*?)(?=\n\s*`\w+`:|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionField:
    name: str
    about: str
    shape: FieldShape
    choices: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What it is called among the fields of a form."""
        return f"{PREFIX}{self.name}"


def of(options: type[msgspec.Struct], *, is_admin: bool) -> list[OptionField]:
    """The options that a person may set, those of the kind itself first."""
    described = inspect.type_info(options)
    assert isinstance(described, inspect.StructType)  # noqa: S101  # what a Struct is described as
    about = {name: told for kind in options.__mro__ for name, told in _about(kind).items()}
    bases = [kind for kind in options.__mro__[1:] if issubclass(kind, msgspec.Struct) and kind is not msgspec.Struct]
    inherited = {name for kind in bases for name in kind.__struct_fields__}
    found = [
        _field(each.name, about.get(each.name, ""), each.type)
        for each in described.fields
        if is_admin or each.name not in permissions.INWARDS
    ]
    return sorted(found, key=lambda field: field.name in inherited)


def shown(fields: Iterable[OptionField], options: Mapping[str, Any]) -> dict[str, str]:
    """The options as a form shows them; addresses without the secrets in them."""
    return {field.key: _written(options[field.name]) for field in fields if field.name in options}


def told(fields: Sequence[OptionField], form: Mapping[str, str], known: Mapping[str, Any]) -> dict[str, Any]:
    """The options as a form tells them; None for what is left to its default, and what is as it was shown stays."""
    before = shown(fields, known)
    return {
        field.name: known[field.name]
        if field.name in known and form.get(field.key, "") == before[field.key]
        else _read(field, form.get(field.key, ""))
        for field in fields
    }


def _about(kind: type) -> dict[str, str]:
    return {name: " ".join(about.split()) for name, about in _TOLD.findall(kind.__doc__ or "")}


def _field(name: str, about: str, expected: inspect.Type) -> OptionField:
    match _plain(expected):
        case inspect.LiteralType(values=values):
            return OptionField(name=name, about=about, shape="choice", choices=tuple(map(str, values)))
        case inspect.BoolType():
            return OptionField(name=name, about=about, shape="check")
        case inspect.IntType():
            return OptionField(name=name, about=about, shape="number")
        case inspect.VarTupleType() | inspect.ListType():
            return OptionField(name=name, about=about, shape="list")
        case inspect.UnionType():
            return OptionField(name=name, about=about, shape="either")
    return OptionField(name=name, about=about, shape="text")


def _plain(expected: inspect.Type) -> inspect.Type:
    """What is said of an option, without its limits and without that it may be missing."""
    if isinstance(expected, inspect.Metadata):
        return _plain(expected.type)
    if isinstance(expected, inspect.UnionType):
        types = [each for each in expected.types if not isinstance(each, inspect.NoneType)]
        return _plain(types[0]) if len(types) == 1 else expected
    return expected


def _read(field: OptionField, given: str) -> Any:
    if not given:
        return None
    if field.shape == "list":
        return forms.lines(given)
    return True if field.shape in {"check", "either"} and given.lower() == "true" else given


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return "\n".join(redaction.redact_text(str(each)) for each in value)
    return redaction.redact_text(str(value))
