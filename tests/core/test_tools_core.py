"""Names of tools: slugs, categories, who an alias belongs to, and merges without cycles."""

from dataclasses import replace
from uuid import UUID

import pytest

from scoop.core import tools
from scoop.core.tools import Tool, ToolSettings
from scoop.errors import Conflict, UsageError


def a_tool(number: int, name: str, **changes) -> Tool:
    slug = tools.slug_of(name)
    return Tool(tool_number=number, tool_id=UUID(int=number), slug=slug, name=name, **changes)


@pytest.mark.parametrize(
    ("name", "slug"),
    [("VS Code", "vs_code"), ("C++", "c_plus_plus"), ("C#", "c_sharp"), ("Next.js", "next_js"), ("  Go ", "go")],
)
def test_a_slug_is_made_of_the_name(name, slug):
    assert tools.slug_of(name) == slug


def test_a_name_without_latin_letters_has_a_slug_too():
    assert tools.slug_of("通义千问").startswith("tool_")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"categories": ()}, "categories"),
        ({"categories": tuple("abcdef")}, "categories"),
        ({"aliases": tuple(map(str, range(51)))}, "aliases: 51"),
        ({"aliases": (" ",)}, "visible"),
        ({"name": "x" * 101}, "101 characters"),
        ({"slug": "No Slug"}, "slug"),
    ],
)
def test_bad_settings_are_refused_with_the_field(changes, problem):
    with pytest.raises(UsageError, match=problem):
        tools.checked(replace(ToolSettings(slug="tussock", name="Tussock"), **changes))


def test_aliases_that_differ_only_in_case_are_one():
    assert tools.checked(ToolSettings(slug="a", name="A", aliases=("VSCode", "vscode"))).aliases == ("vscode",)


def test_an_alias_belongs_to_one_tool():
    others = [a_tool(1, "Tussock", aliases=("tsk",))]
    with pytest.raises(Conflict, match="belongs to the tool tussock"):
        tools.check_names(a_tool(2, "Sedge", aliases=("TSK",)), others)


def test_an_alias_of_the_tool_itself_is_refused_with_the_chain():
    with pytest.raises(Conflict, match="Tussock → Tussock"):
        tools.check_names(a_tool(1, "Tussock", aliases=("tussock",)), [])


def test_an_alias_that_leads_back_through_merges_is_refused_with_the_chain():
    tool = a_tool(1, "Ann", aliases=("Cid",))
    others = [a_tool(2, "Bob", merged_into=1), a_tool(3, "Cid", merged_into=2)]
    with pytest.raises(Conflict, match="Ann → Cid → Bob → Ann"):
        tools.check_names(tool, others, number=1)


def test_an_alias_that_leads_forward_through_merges_is_refused_with_the_chain():
    tool = a_tool(1, "Ann", aliases=("Cid",), merged_into=2)
    others = [a_tool(2, "Bob", merged_into=3), a_tool(3, "Cid")]
    with pytest.raises(Conflict, match="Ann → Bob → Cid → Ann"):
        tools.check_names(tool, others, number=1)


@pytest.mark.parametrize(("source", "target", "chain"), [(1, 1, "Ann → Ann"), (3, 1, "Cid → Ann → Bob → Cid")])
def test_a_merge_that_would_make_a_cycle_is_refused_with_the_chain(source, target, chain):
    listed = [a_tool(1, "Ann", merged_into=2), a_tool(2, "Bob", merged_into=3), a_tool(3, "Cid")]
    by_number = {tool.tool_number: tool for tool in listed}
    with pytest.raises(Conflict, match=chain):
        tools.check_merge(by_number[source], by_number[target], listed)


def test_a_change_is_described_by_the_settings_that_differ():
    before = {"vendor": "", "aliases": ["tsk", "tss"], "status": "active", "merged_into": None}
    after = before | {"vendor": "Acme", "aliases": ["tss", "Tussock 2"]}
    assert tools.differences(before, after) == ["vendor: none → Acme", "aliases: + Tussock 2, - tsk"]
    assert tools.differences(None, after) == []
