"""Lists of tools: what is written is read again, and what is wrong is refused with its tool."""

import pytest

from scoop.core import tool_lists
from scoop.core.tool_lists import ListedTool
from scoop.core.tools import ToolSettings
from scoop.errors import InputError

LISTED = [
    ListedTool(
        settings=ToolSettings(
            slug="c_plus_plus",
            name="C++",
            vendor='ISO, "WG 21"',
            categories=("language", "systems"),
            aliases=("Cpp", "シープラスプラス", "C.*"),
            context_words=("template",),
            status="archived",
        ),
        merged_into="tussock",
    ),
    ListedTool(settings=ToolSettings(slug="tussock", name="Tussock")),
]


@pytest.mark.parametrize("form", ["toml", "csv"])
def test_a_list_that_was_written_is_read_again(form):
    assert tool_lists.read(tool_lists.write(LISTED, form), form) == LISTED


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[[tools]]\nname = "Go"\naliases = "Golang"', "tool 1, Go: aliases must be a list of texts"),
        ('[[tools]]\nname = "Go"\naliases = [1]', "tool 1, Go: aliases must be a list of texts"),
        ('[[tools]]\nname = "Go"\nvendor = ["Google"]', "tool 1, Go: vendor must be a text"),
        ('[[tools]]\nname = "Go"\n[[tools]]\nslug = "x"', "tool 2: it needs a name"),
        ('[[tools]]\nname = "Go"\ncolour = "blue"', "there is no setting 'colour'"),
        ('[[tools]]\nname = "Go"\nstatus = "gone"', "status must be active or archived"),
        ('[[tools]]\nname = "Go"\ncategories = []', "categories: a tool needs one to five"),
        ("tools = 3", r"\[\[tools\]\]"),
        ("[[tools", "not TOML"),
    ],
)
def test_a_wrong_list_is_refused_with_the_tool_and_the_setting(text, problem):
    with pytest.raises(InputError, match=problem):
        tool_lists.read(text, "toml")


def test_a_table_needs_a_column_of_names_and_may_begin_with_a_byte_order_mark():
    with pytest.raises(InputError, match="at least name"):
        tool_lists.read("slug,vendor\ngo,Google\n", "csv")
    (tool,) = tool_lists.read("\ufeffname,aliases\nGo,Golang; golang.org\n", "csv")
    assert tool.settings.aliases == ("Golang", "golang.org")


def test_the_starter_list_has_some_forty_tools_whose_names_do_not_clash():
    names = [name.lower() for each in tool_lists.starter() for name in (each.settings.name, *each.settings.aliases)]
    assert len(tool_lists.starter()) >= 40
    assert len(names) == len(set(names))
