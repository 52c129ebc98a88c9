"""Which tools a question in plain language names."""

from uuid import UUID

import pytest

from scoop.core import tool_questions
from scoop.core.tools import Tool


def a_tool(number, name, **given):
    return Tool(tool_number=number, tool_id=UUID(int=number), slug=f"tool_{number}", name=name, **given)


TOOLS = [
    a_tool(1, "Kubernetes", aliases=("k8s",)),
    a_tool(2, "Claude"),
    a_tool(3, "Claude Code"),
    a_tool(4, "Go", aliases=("Golang",)),
    a_tool(5, "C++"),
    a_tool(6, "Kube", merged_into=1),
    a_tool(7, "Jenkins", status="archived"),
]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What do people say about kubernetes?", ["Kubernetes"]),
        ("あなたはKubernetesについてどう思いますか？", ["Kubernetes"]),
        ("Is k8s liked more than Kubernetes?", ["Kubernetes"]),
        ("How is Claude Code doing?", ["Claude Code"]),
        ("Claude Code or Claude?", ["Claude Code", "Claude"]),
        ("Did the mood about K8S go down?", ["Kubernetes"]),
        ("Is Go liked more than C++?", ["Go", "C++"]),
        ("how is go doing", ["Go"]),
        ("Anything about Kube?", ["Kubernetes"]),
        ("And Jenkins?", []),
        ("What is new?", []),
    ],
)
def test_a_question_names_tools_in_any_script_and_the_longest_name_counts(question, names):
    assert [tool.name for tool in tool_questions.named_tools(question, TOOLS)] == names


def test_a_desk_without_tools_names_none():
    assert tool_questions.named_tools("What do people say about Kubernetes?", []) == []
