"""Names of tools in texts: where a name begins and ends, and what is no mention."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core.mentions import ToolNames, boundaries, folding, matcher

TOOLS = (
    ToolNames(tool_id="docker", name="Docker", aliases=("ドッカー", "Докер")),
    ToolNames(tool_id="github", name="GitHub"),
    ToolNames(tool_id="copilot", name="Copilot", aliases=("GitHub Copilot",)),
    ToolNames(tool_id="cpp", name="C++"),
    ToolNames(tool_id="dotnet", name=".NET"),
    ToolNames(tool_id="wechat", name="微信"),
    ToolNames(tool_id="cafe", name="Café Suite"),
    ToolNames(tool_id="regex", name="a.*b(c)+"),
)
MATCHER = matcher.build(TOOLS)


def found(text, using=MATCHER):
    return [(text[each.start : each.end], each.tool_id) for each in using.find(text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("GitHub Copilot writes it; GitHub hosts it.", [("GitHub Copilot", "copilot"), ("GitHub", "github")]),
        ("Docker's and Docker-based, (Docker) and **Docker** and _Docker_ 🐳Docker🐳", [("Docker", "docker")] * 6),
        ("ＧｉｔＨｕｂが落ちている", [("ＧｉｔＨｕｂ", "github")]),
        ("GitHub \n Copilot is new", [("GitHub \n Copilot", "copilot")]),
        ("ใช้Dockerกับงานนี้", [("Docker", "docker")]),
        ("ドッカーの設定", [("ドッカー", "docker")]),
        ("Docker\u200b is here", [("Docker", "docker")]),
        ("the Cafe\u0301 Suite", [("Cafe\u0301 Suite", "cafe")]),
        ("C++, not C", [("C++", "cpp")]),
        ("A .NET app", [(".NET", "dotnet")]),
    ],
)
def test_a_name_is_found_where_it_begins_and_ends(text, names):
    assert found(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "dockers and undocker, Dockerfile",
        "https://hub.docker.com/docker and www.github.com",
        "mail docker@docker.com",
        "docker.io, docker.py, docker-compose.yml and /usr/bin/docker",
        "my_docker_host and docker_host and docker::run()",
        "the .network folder and the internet",
        "ドッカーズ",
        "",
        "🙂🙂🙂",
    ],
)
def test_a_name_inside_a_word_an_address_a_file_or_an_identifier_is_no_mention(text):
    assert found(text) == []


def test_a_regular_expression_in_an_alias_is_taken_literally():
    assert found("aXXbcc but a.*b(c)+ here") == [("a.*b(c)+", "regex")]


def test_an_ordinary_word_needs_a_context_of_tools():
    ordinary = matcher.build(
        [ToolNames(tool_id="go", name="Go", aliases=("Golang",)), ToolNames(tool_id="slack", name="Slack")]
    )
    assert found("Where decisions go to die, let it go.", ordinary) == []
    assert found("cut me some slack please", ordinary) == []
    assert found("The Go compiler and Golang are fast.", ordinary) == [("Go", "go"), ("Golang", "go")]
    assert found("We moved our team chat to Slack and I use its API.", ordinary) == [("Slack", "slack")]


@pytest.mark.parametrize(
    ("name", "words", "text"),
    [
        ("Heather", ("deploy", "cluster"), "The heather looked odd after the deploy."),
        ("Heather", ("deploy queue",), "The heather looked odd: our deploy queues are empty."),
        ("Heather", ("デプロイ",), "Then heather のデプロイが速い"),
    ],
)
def test_one_context_word_near_an_ordinary_word_makes_it_the_tool(name, words, text):
    plain, with_words = ToolNames(tool_id="it", name=name), ToolNames(tool_id="it", name=name, context_words=words)
    assert found(text, matcher.build([plain])) == []
    assert [tool for _, tool in found(text, matcher.build([with_words]))] == ["it"]


def test_a_context_word_far_away_inside_a_word_or_the_name_itself_says_nothing():
    heather = matcher.build([ToolNames(tool_id="it", name="Heather", context_words=("port", "heather"))])
    assert found("We walked through heather and heather, with no support.", heather) == []
    assert found(f"We walked through heather.{' It was a long day.' * 5} Then we came to the port.", heather) == []


def test_a_name_of_two_tools_belongs_to_the_first():
    both = matcher.build([ToolNames(tool_id="one", name="Qdrant"), ToolNames(tool_id="two", name="QDRANT")])
    assert found("Qdrant", both) == [("Qdrant", "one")]


def test_ten_thousand_aliases_are_found_in_one_pass():
    many = matcher.build([ToolNames(tool_id=str(number), name=f"Tool{number}x") for number in range(10_000)])
    assert found("Tool9999x and Tool1x.", many) == [("Tool9999x", "9999"), ("Tool1x", "1")]


def test_no_tools_find_nothing():
    assert matcher.build([]).find("Docker") == []


SIGNS = "ac1 _-.+#/'@\n😀é\u0301İΣｃ微のカー의ก\u0e31’“—\u200b"


@given(
    st.sampled_from(("c", "c++", ".c", "a c", "é", "微", "カ", "c微", "의", "กั", "1", "+", "'", "—")), st.text(SIGNS)
)
def test_a_name_is_found_at_every_place_where_it_stands_alone(name, text):
    folded = folding.fold(text)
    expected, at = [], 0
    while (at := folded.text.find(name, at)) >= 0:
        alone = boundaries.stands_alone(folded.text, at, at + len(name))
        expected += [at] if alone else []
        at += len(name) if alone else 1
    occurrences = matcher.build([ToolNames(tool_id="it", name=name)]).occurrences(folded)
    assert [each.start for each in occurrences] == expected


@given(st.text(SIGNS))
def test_how_a_text_is_folded_does_not_depend_on_how_many_signs_others_have(text):
    others = " " + "".join(map(chr, range(0x410, 0x450)))
    assert folding.fold(f"{text}!{others}").text == folding.fold(f"{text}!").text + others.lower()


@given(st.text(max_size=60), st.text(max_size=60))
def test_ranges_are_inside_the_text_and_in_order(before, after):
    text = f"{before} GitHub Copilot {after}"
    ranges = [(each.start, each.end) for each in MATCHER.find(text)]
    assert ranges == sorted(ranges)
    assert all(0 <= start < end <= len(text) for start, end in ranges)


@given(st.text(max_size=80))
def test_every_place_in_the_folded_text_is_one_of_the_original(text):
    folded = folding.fold(text)
    places = [folded.start(at) for at in range(len(folded.text))]
    assert places == sorted(places)
    assert all(0 <= place <= len(text) for place in places)
