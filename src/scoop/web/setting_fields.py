"""The fields of a form for the settings of a noun, made from their definition (`actions.settings`)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from scoop.actions.settings import Setting
from scoop.web import forms

FieldShape = Literal["text", "number", "check", "choice", "list"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingField:
    """A field as `source_parts.html` draws it; `key` is its name in the form."""

    key: str
    label: str
    about: str
    shape: FieldShape
    choices: tuple[str, ...] = ()
    most: int
    is_required: bool
    is_common: bool


def list_fields(settings: Iterable[Setting]) -> list[SettingField]:
    """The fields of the settings that have a label."""
    return [_field(setting) for setting in settings if setting.label is not None]


def show(settings: Iterable[Setting], values: Any) -> dict[str, str]:
    """The attributes of a noun as text, by the keys of the fields; a list has one item a line."""
    named = [setting for setting in settings if setting.label is not None and hasattr(values, setting.attribute)]
    return {setting.name: _write(setting, getattr(values, setting.attribute)) for setting in named}


def read(settings: Iterable[Setting], form: Mapping[str, str]) -> dict[str, Any]:
    """The patch that a form describes; a field that is blank, or is not in the form, gets its default again."""
    return {
        setting.name: _read(setting, form.get(setting.name, "")) for setting in settings if setting.label is not None
    }


def _field(setting: Setting) -> SettingField:
    return SettingField(
        key=setting.name,
        label=setting.label or setting.name.replace("_", " ").capitalize(),
        about=setting.about,
        shape=_shape(setting),
        choices=setting.choices,
        most=setting.most,
        is_required=setting.is_required,
        is_common=setting.is_common,
    )


def _shape(setting: Setting) -> FieldShape:
    if setting.is_list:
        return "list"
    if setting.choices:
        return "choice"
    shapes: dict[Any, FieldShape] = {int: "number", bool: "check"}
    return shapes.get(setting.type, "text")


def _write(setting: Setting, value: Any) -> str:
    if setting.is_list:
        return "\n".join(map(setting.write, value or ()))
    return "" if value is None else setting.write(value)


def _read(setting: Setting, text: str) -> Any:
    if setting.is_list:
        return [setting.read(line) for line in forms.split_lines(text)]
    if setting.type is bool:
        return text == "true"
    if not text.strip():
        return None
    if setting.type is int and text.strip().isascii() and text.strip().isdecimal():
        return int(text)
    return setting.read(text)
