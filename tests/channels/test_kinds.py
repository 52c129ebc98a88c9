"""What holds for every kind of channel."""

import inspect
import json

import msgspec
import pytest

from scoop import channels, plugins

KINDS = plugins.discover(channels)


def test_the_kinds_are_those_that_are_promised():
    assert set(KINDS) == {"discord_bot", "discord_webhook", "email", "webhook", "command", "file"}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_kind_and_each_of_its_options_is_explained(kind):
    pages = [inspect.getdoc(base) or "" for base in kind.Options.__mro__]
    assert inspect.getdoc(kind)
    for option in msgspec.structs.fields(kind.Options):
        assert any(f"`{option.name}`:" in page for page in pages), option.name
        json.dumps(option.default)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_what_is_no_option_is_refused(kind):
    with pytest.raises(msgspec.ValidationError, match="colour"):
        msgspec.convert({"colour": "red"}, kind.Options)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_kind_says_whether_it_finds_and_repeats(kind):
    assert isinstance(kind.finds, bool)
    assert isinstance(kind.repeats, bool)
    assert all(inspect.iscoroutinefunction(getattr(kind, name)) for name in ("send", "find", "edit"))
