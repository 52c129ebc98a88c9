"""Options: described in words, and read from text as well as from values."""

from typing import Annotated, Literal

import msgspec
import pytest

from scoop import options
from scoop.core.plugin_types import ADMIN_ONLY, PluginOptions
from scoop.core.secrets import Secret
from scoop.errors import Reject


class Options(PluginOptions, frozen=True, kw_only=True):
    """Options of every type.

    `count`: how
    many.
    `ratio`: a share.
    """

    count: Annotated[int, msgspec.Meta(ge=1, le=600)] = 60
    least: Annotated[int, msgspec.Meta(ge=0)] | None = None
    any_number: int = 0
    ratio: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.5
    words: str = ""
    short: Annotated[str, msgspec.Meta(max_length=1000)] = ""
    category: Annotated[str, msgspec.Meta(pattern="^[a-z]+$", description="a category such as cs")] | None = None
    domains: tuple[str, ...] = ()
    is_on: Annotated[bool, ADMIN_ONLY] = False
    order: Literal["new", "hot"] = "new"
    either: bool | str = False
    key: Secret | None = None


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("count", "integer, 1-600"),
        ("least", "integer, 0 or more"),
        ("any_number", "integer"),
        ("ratio", "number, 0-1"),
        ("words", "text"),
        ("short", "text, at most 1,000 characters"),
        ("category", "a category such as cs"),
        ("domains", "list of text"),
        ("is_on", "yes or no"),
        ("order", "one of: hot, new"),
        ("either", "yes or no, or text"),
        ("key", "secret"),
    ],
)
def test_a_type_is_described_in_words(option, words):
    assert options.describe(Options)[option].words == words


def test_an_option_has_its_meaning_default_and_access():
    described = options.describe(Options)
    assert (described["count"].about, described["count"].default) == ("how many.", 60)
    assert [described[name].access for name in ("count", "is_on", "key")] == ["editor", "admin", "cli"]


def test_values_are_read_from_text_as_from_a_command_line():
    read = options.read(Options, {"count": "7", "ratio": "0.25", "domains": "a, b", "is_on": "yes", "least": None})
    assert (read.count, read.ratio, read.domains, read.is_on, read.least) == (7, 0.25, ("a", "b"), True, None)
    assert options.read(Options, {"is_on": "false"}).is_on is False


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"count": 601}, r"option count: must be an integer, 1-600 \(is 601\)"),
        ({"count": "many"}, r"option count: must be an integer, 1-600 \(is 'many'\)"),
        ({"is_on": "perhaps"}, r"option is_on: must be yes or no \(is 'perhaps'\)"),
        ({"order": "old"}, r"option order: must be one of: hot, new \(is 'old'\)"),
        ({"category": "CS"}, r"option category: must be a category such as cs \(is 'CS'\)"),
        ({"domains": [1]}, r"option domains: must be a list of text \(is \[1\]\)"),
        ({"cuont": 1}, r"there is no option cuont; did you mean count\?"),
        ({"colour": 1}, r"there is no option colour; there are count, least"),
    ],
)
def test_a_wrong_value_is_refused_with_what_the_option_takes(values, problem):
    with pytest.raises(Reject, match=problem):
        options.read(Options, values)


def test_a_wrong_secret_is_refused_without_being_shown():
    with pytest.raises(Reject) as refused:
        options.read(Options, {"key": ["s3cret"]})
    assert str(refused.value) == "option key: must be a secret"
