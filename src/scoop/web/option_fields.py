"""The options of a source or channel as fields of a form."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
from msgspec import inspect

from scoop import options as plugin_options
from scoop.core import redaction
from scoop.core.access import Visitor
from scoop.http import permissions
from scoop.options import Option
from scoop.web import forms

PREFIX = "option-"

FieldShape = Literal["choice", "check", "number", "list", "text", "either"]  # either: true, or a text


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionField:
    name: str
    about: str
    shape: FieldShape
    choices: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Its name in the form."""
        return f"{PREFIX}{self.name}"


def list_fields(options: type[msgspec.Struct], visitor: Visitor) -> list[OptionField]:
    """The options that a visitor may set, those of the plugin itself first."""
    described = plugin_options.describe(options).values()
    return [_field(option) for option in described if permissions.may_set_up(visitor, option.access)]


def show_values(fields: Iterable[OptionField], options: Mapping[str, Any]) -> dict[str, str]:
    """The options as the form shows them; addresses without the secrets in them."""
    return {field.key: _show(options[field.name]) for field in fields if field.name in options}


def read_values(fields: Sequence[OptionField], form: Mapping[str, str], known: Mapping[str, Any]) -> dict[str, Any]:
    """The options that a form sets; None for a default. A value that is as it was shown keeps its secrets."""
    before = show_values(fields, known)
    return {
        field.name: known[field.name]
        if field.name in known and form.get(field.key, "") == before[field.key]
        else _read(field, form.get(field.key, ""))
        for field in fields
    }


def _field(option: Option) -> OptionField:
    match option.type:
        case inspect.LiteralType(values=values):
            return OptionField(name=option.name, about=option.about, shape="choice", choices=tuple(map(str, values)))
        case inspect.UnionType():
            shape: FieldShape = "either"
        case inspect.BoolType():
            shape = "check"
        case inspect.IntType():
            shape = "number"
        case _:
            shape = "list" if option.is_list else "text"
    return OptionField(name=option.name, about=option.about, shape=shape)


def _read(field: OptionField, value: str) -> Any:
    if not value:
        return None
    if field.shape == "list":
        return forms.split_lines(value)
    return True if field.shape in {"check", "either"} and value.lower() == "true" else value


def _show(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return "\n".join(redaction.redact_text(str(each)) for each in value)
    return redaction.redact_text(str(value))
