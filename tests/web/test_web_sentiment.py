"""The pages of sentiment without a browser: order, categories, numbers of a tool, the sentence of a mention, files."""

import csv
import io

import pytest

from builders import told
from scoop.actions import tools
from scoop.core import tool_lists
from scoop.core.tools import ToolSettings
from web.visitor import a_report, visiting

TOOLS = {"Tussock": "editor", "Sedge": "database", "Linnet": "database"}
REPORTS = [
    ("Tussock is a wonderful editor, we love it.", 5),
    ("It rained all day. Sedge is terrible: it crashes and we hate it. Then it was dry.", 6),
    ("Sedge is awful and slow, we regret it.", 30),
    ("Tussock is a wonderful editor, thanks to all.", 200),
    ("Sedge is a great and lovely database.", 190),
    ("Sedge is great, we love it.", 195),
]


@pytest.fixture
async def desk(database):
    """Three tools; in the last seven days Sedge has two mentions and Tussock one, and Linnet none."""
    async with database.transaction() as conn:
        for name, category in TOOLS.items():
            await tools.add(conn, ToolSettings(slug=name.lower(), name=name, categories=(category,)))
    items = [
        a_report(number, title=f"Report {number}", body_text=text, hours_ago=hours)
        for number, (text, hours) in enumerate(REPORTS)
    ]
    await told(database, items)
    async with database.connection() as conn:
        await conn.execute("DELETE FROM sentiment_cache")  # of the real clock
    return database


def names(answer):
    return [link.rpartition("/")[2] for link in answer.page.links("/sentiment/tools/") if "?" not in link]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["sedge", "tussock", "linnet"]),
        ("&order=average", ["tussock", "sedge", "linnet"]),
        ("&order=change", ["sedge", "tussock", "linnet"]),
        ("&order=name", ["linnet", "sedge", "tussock"]),
        ("&category=database", ["sedge", "linnet"]),
    ],
)
async def test_cards_are_ordered_and_narrowed_to_a_category(desk, query, expected):
    async with visiting(desk) as visitor:
        answer = await visitor.get(f"/sentiment?hours=168{query}")
    assert names(answer)[: len(expected)] == expected
    assert set(names(answer)) == set(expected)


async def test_a_category_without_tools_leads_back(desk):
    async with visiting(desk) as visitor:
        answer = await visitor.get("/sentiment?category=kitchen")
    assert "No tools in the category kitchen" in answer.page.text
    assert "/sentiment?hours=168&order=mentions" in answer.page.links()


async def test_the_numbers_of_the_dashboard_are_saved_as_csv(desk):
    async with visiting(desk) as visitor:
        answer = await visitor.get("/sentiment.csv?hours=168")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert answer.headers["Content-Disposition"] == 'attachment; filename="sentiment-168-hours.csv"'
    assert [(row["tool"], row["total_mentions"], row["share"]) for row in rows] == [
        ("sedge", "2", "0.6667"),
        ("tussock", "1", "0.3333"),
        ("linnet", "0", "0.0"),
    ]
    assert (rows[0]["mentions_change"], rows[0]["categories"]) == ("0.0", "database")
    assert float(rows[0]["average_change"]) < -0.5


async def test_the_page_of_a_tool_begins_with_its_numbers_and_their_change(desk):
    async with visiting(desk) as visitor:
        answer = await visitor.get("/sentiment/tools/sedge?days=7")
    assert "Mentions 2 Average ▼" in answer.page.text
    assert "Share of voice 67%" in answer.page.text


async def test_the_sentence_that_has_the_mention_is_marked(desk):
    async with visiting(desk) as visitor:
        answer = await visitor.get("/sentiment/tools/sedge?days=1")
    [passage] = answer.text.split('<span class="sentence">')[1:]
    assert passage.startswith("<mark>Sedge</mark> is terrible: it crashes and we hate it.</span>")


async def test_files_of_a_series_have_the_times_of_the_desk(desk):
    url = "/sentiment/tools/tussock/series"
    async with visiting(desk, timezone="Asia/Tokyo") as visitor:
        days = await visitor.get(f"{url}.csv?days=7")
        hours = await visitor.get(f"{url}.svg?days=1&interval=hour")
    assert {row["starts_at"][10:] for row in csv.DictReader(io.StringIO(days.text))} == {"T00:00:00+09:00"}
    assert "16 May 16:00" in hours.text


async def test_a_comparison_can_have_another_base_and_names_each_tool_once(desk):
    async with desk.transaction() as conn:
        listed = {tool.slug: tool for tool in await tools.store.list_tools(conn)}
        await tools.merge(conn, listed["linnet"], listed["tussock"])
    async with visiting(desk) as visitor:
        page = await visitor.get("/sentiment/compare?tool=tussock&tool=sedge&tool=linnet")
        compared = await visitor.get("/api/v1/tools/compare?tool=tussock&tool=sedge&tool=linnet&hours=168")
    assert "/sentiment/compare?tool=sedge&tool=tussock&hours=168" in page.page.links()
    assert "Numbers of" in page.page.text
    assert [(each["sentiment"]["tool_slug"], each["share_of_voice"]) for each in compared.json] == [
        ("tussock", 0.3333),
        ("sedge", 0.6667),
    ]


async def test_a_refused_change_keeps_the_form_whole(desk):
    form = {"name": "Sedge", "categories": "database", "aliases": "Tussock", "status": "active"}
    async with visiting(desk) as visitor:
        answer = await visitor.post("/sentiment/tools/sedge/edit", form)
    assert "belongs to the tool tussock" in answer.page.text
    assert "Count its mentions for" in answer.page.text
    assert "created" in answer.page.text


async def test_a_choice_of_too_many_tools_is_kept_with_the_limit(desk):
    chosen = "&".join(f"tool={each}" for each in ["tussock", *(f"tool_{number}" for number in range(10))])
    async with visiting(desk) as visitor:
        answer = await visitor.get(f"/sentiment/compare?{chosen}")
    assert answer.status == 200
    assert "Choose at most 10 tools; 11 are chosen." in answer.page.text
    boxes = {each["value"]: "checked" in each for each in answer.page.attributes("input") if each.get("name") == "tool"}
    assert boxes == {"tussock": True, "sedge": False, "linnet": False}


async def test_hours_are_offered_for_a_week_at_most(desk):
    async with visiting(desk) as visitor:
        answer = await visitor.get("/sentiment/tools/tussock?days=90")
    assert "/sentiment/tools/tussock?days=7&interval=hour" in answer.page.links()


async def test_the_page_of_reanalyses_says_how_the_cache_does(desk):
    async with visiting(desk) as visitor:
        for _ in range(2):
            await visitor.get("/api/v1/tools/tussock/sentiment")
        await visitor.get("/api/v1/cache/health")  # which writes the counts
        answer = await visitor.get("/sentiment/jobs")
    assert "State unhealthy Hits 1 50% Misses 1 Errors 0 Entries 1" in answer.page.text


async def test_the_list_of_tools_names_six_aliases_of_each_and_counts_the_rest(desk):
    async with desk.transaction() as conn:
        tussock = await tools.store.get(conn, "tussock")
        await tools.add_aliases(conn, tussock, [f"Tuss {number}" for number in range(50)])
    async with visiting(desk) as visitor:
        answer = await visitor.get("/sentiment/tools")
    assert "and 44 more" in answer.page.text
    assert answer.page.text.count("Tuss ") == 6


@pytest.mark.parametrize("form", ["toml", "csv"])
async def test_the_list_of_tools_is_saved_in_a_form_that_is_imported_again(desk, form):
    async with visiting(desk) as visitor:
        answer = await visitor.get(f"/sentiment/tools.{form}")
        unknown = await visitor.get("/sentiment/tools.xml")
    assert {each.settings.name for each in tool_lists.read(answer.text, form)} == set(TOOLS)
    assert f"tools.{form}" in answer.headers["Content-Disposition"]
    assert unknown.status in {400, 404}
