"""`scoop curators import`, as people use it."""

import json
from datetime import UTC, datetime, timedelta

from builders import scoop
from projections import memories

pytest_plugins = ["projections.conftest"]

RECENTLY = (datetime.now(UTC) - timedelta(days=1)).isoformat()
LINES = [
    {
        "collection": "notified_articles",
        "id": "https:--dev.to-example-post",
        "notified_at": RECENTLY,
        "discord_message_id": "1234567890123456789",
        "article_title": "A post",
        "relevance_score": 95,
    },
    {
        "collection": "rejected_articles",
        "id": "https%3A%2F%2Fdev.to%2Fno",
        "evaluated_at": RECENTLY,
        "reason": "low_relevance",
        "relevance_score": 35,
    },
    {"collection": "rejected_articles", "id": "nonsense"},
]


async def test_a_file_is_imported_once_and_what_cannot_be_read_is_named(memory, database_url, tmp_path):
    await memory.add_curator()
    path = tmp_path / "memory.ndjson"
    path.write_text("\n".join(map(json.dumps, LINES)))
    done = scoop("curators", "import", "picks", "--from", str(path), database_url=database_url)
    assert done.returncode == 0
    assert "1 posted and 1 rejected articles imported, of 3 documents; 1 unreadable" in done.stdout
    assert "not read: rejected_articles/nonsense: its id leads to no URL" in done.stdout
    again = scoop("curators", "import", "picks", "--from", str(path), "--json", database_url=database_url)
    assert {name: json.loads(again.stdout)[name] for name in ("notified", "rejected", "known")} == {
        "notified": 0,
        "rejected": 0,
        "known": 2,
    }


async def test_a_firestore_database_is_imported(memory, database_url):
    await memory.add_curator()
    memory.client.collection("notified_articles").document("https:--dev.to-example-post").set(
        {"notified_at": memories.days_ago(1), "article_title": "A post", "relevance_score": 95}
    )
    done = scoop(
        "curators",
        "import",
        "picks",
        "--from",
        f"firestore://{memory.project_id}",
        database_url=database_url,
        projections_firestore_base_url=memory.endpoint,
    )
    assert done.returncode == 0, done.stderr
    assert "1 posted and 0 rejected articles imported, of 1 document\n" in done.stdout


async def test_a_place_that_cannot_be_read_is_named(memory, database_url, tmp_path):
    await memory.add_curator()
    missing = scoop("curators", "import", "picks", "--from", str(tmp_path / "none"), database_url=database_url)
    assert "cannot read" in missing.stderr
    wrong = scoop("curators", "import", "picks", "--from", "firestore://p?nonsense=1", database_url=database_url)
    assert "there is no option nonsense" in wrong.stderr
    without_key = scoop("curators", "import", "picks", "--from", "firestore://p", database_url=database_url)
    assert "SCOOP_PROJECTIONS_FIRESTORE_CREDENTIALS_FILE" in without_key.stderr
