"""The settings of a noun are defined once: bounds, patches, and what each interface makes of the definition."""

from dataclasses import dataclass, field
from typing import Any, Literal

import click
import pytest
from click.testing import CliRunner
from pydantic import ValidationError

from scoop.actions import settings
from scoop.actions.settings import Setting
from scoop.actions.source_settings import SETTINGS
from scoop.cli import _settings
from scoop.errors import UsageError
from scoop.http import setting_models
from scoop.model import SourceSettings
from scoop.web import setting_fields


@dataclass(frozen=True, kw_only=True)
class Boat:
    name: str
    seats: int = 4
    colour: str = "blue"
    ports: list[str] = field(default_factory=lambda: ["home"])
    is_fast: bool = False


BOAT = (
    Setting(name="name", about="Its name.", most=10, is_required=True, is_argument=True),
    Setting(name="seats", about="How many seats.", type=int, least=1, most=8),
    Setting(name="colour", about="Its colour.", type=Literal["blue", "red"]),
    Setting(name="ports", about="Where it lands.", type=list[str], most=2),
    Setting(name="is_fast", about="Whether it is fast.", type=bool),
)


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"name": ""}, "name: must be 1 to 10 characters"),
        ({"name": "x" * 11}, "name: must be 1 to 10 characters"),
        ({"name": 7}, "name: must be 1 to 10 characters"),
        ({"seats": 0}, "seats: must be a whole number from 1 to 8"),
        ({"seats": "4"}, "seats: must be a whole number from 1 to 8"),
        ({"seats": True}, "seats: must be a whole number from 1 to 8"),
        ({"colour": "green"}, "colour: must be one of blue, red"),
        ({"ports": ["a", "b", "c"]}, "ports: must be a list of 1 to 2"),
        ({"is_fast": "yes"}, "is_fast: must be true or false"),
    ],
)
def test_a_value_out_of_bounds_is_refused_by_its_name(values: dict[str, Any], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        settings.check(BOAT, values)


@pytest.mark.parametrize(
    "values",
    [{"name": ""}, {"name": "x" * 11}, {"seats": 0}, {"colour": "green"}, {"ports": ["a", "b", "c"]}, {"no": 1}],
)
def test_the_api_has_the_same_bounds(values: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        setting_models.patch_model("Changes", BOAT)(**values)


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="a boat has no setting 'hull'; its settings are colour, is_fast, name"):
        settings.check_names("boat", BOAT, ["hull"])


def test_a_mistyped_name_is_refused_with_the_one_that_is_meant() -> None:
    with pytest.raises(UsageError, match=r"a boat has no setting 'seat'; did you mean seats\?"):
        settings.check_names("boat", BOAT, ["seat"])


def test_a_patch_keeps_what_it_leaves_out_and_resets_what_is_null() -> None:
    known = {"name": "Ann", "seats": 6, "colour": "red", "ports": ["far"], "is_fast": True}
    patched = settings.apply_patch(Boat, known, {"seats": None, "ports": None, "colour": "blue"})
    assert patched == {"name": "Ann", "seats": 4, "colour": "blue", "ports": ["home"], "is_fast": True}


def test_every_interface_has_the_same_settings() -> None:
    changed = setting_models.patch_model("Changes", BOAT).model_fields
    added = setting_models.new_model("New", BOAT).model_fields
    form = {each.key: each.shape for each in setting_fields.list_fields(BOAT)}
    names = [setting.name for setting in BOAT]
    assert list(changed) == list(added) == list(form) == names
    assert [name for name, info in added.items() if info.is_required()] == ["name"]
    assert [name for name, info in changed.items() if info.is_required()] == []
    assert list(form.values()) == ["text", "number", "choice", "list", "check"]


def run(*arguments: str, is_new: bool = False) -> dict[str, Any]:
    patches: list[dict[str, Any]] = []

    @click.command()
    @_settings.options(BOAT, Boat, is_new=is_new)
    def command(**values: Any) -> None:
        patches.append(_settings.read(BOAT, values))

    CliRunner().invoke(command, arguments, catch_exceptions=False, standalone_mode=False)
    return patches[0]


def test_the_command_line_reads_a_patch() -> None:
    assert run("--seats", "3", "--ports", "a", "--ports", "b") == {"seats": 3, "ports": ["a", "b"]}
    assert run("--name", "Ann", "--reset", "colour") == {"name": "Ann", "colour": None}
    with pytest.raises(UsageError, match="--reset 'sails'"):
        run("--reset", "sails")


def test_a_form_shows_and_reads_the_same_values() -> None:
    boat = Boat(name="Ann", seats=6, colour="red", ports=["a", "b"])
    shown = setting_fields.show(BOAT, boat)
    assert shown["ports"] == "a\nb"
    read = setting_fields.read(BOAT, {**shown, "is_fast": ""})
    assert read == {"name": "Ann", "seats": 6, "colour": "red", "ports": ["a", "b"], "is_fast": False}
    assert setting_fields.read(BOAT, {})["seats"] is None


def test_the_settings_of_a_source_are_those_of_its_dataclass() -> None:
    fields = set(SourceSettings.__dataclass_fields__)
    assert {setting.name for setting in SETTINGS} == (fields - {"base_url", "name_from"}) | {"target"}
    for setting in SETTINGS:
        settings.check([setting], {setting.name: settings.default(SourceSettings, setting.name)})


def test_options_are_written_as_they_are_typed() -> None:
    options = {"recipients": ["ann@example.org", "bob@example.org"], "security": "tls", "allow_private": True}
    assert (
        _settings.write_table(options) == "recipients=ann@example.org,bob@example.org security=tls allow_private=true"
    )
