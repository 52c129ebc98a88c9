"""An article that is long enough for lessons of every level, and a desk on which it was chosen for learners."""

from datetime import date
from typing import Any

from builders import an_item, told
from scoop.core.listening import ListeningChoice
from scoop.model import Level
from scoop.store import listening
from scoop.store.db import Database

TITLE = "Ferry burns off Skarn; all 37 pupils and teachers are safe"
BODY = """The ferry Halden Star caught fire on Wednesday night near the island of Skarn in the north of Norland. All \
212 passengers left the ship in boats. The crew saw smoke in the engine room at 21:40. Captain Lena Brook stopped \
both engines at once. She sent the passengers to the open deck and called the coast guard in Grimsvoe.

Thirty-four pupils and three teachers of Alderman Road School were on the ship. They came from Northgate and \
wanted to visit a museum. Two fishing boats reached the ferry after 25 minutes, before the ships of the coast \
guard arrived. Their crews took the children first, because the sea was calm and the boats had room for 50 \
people. The coast guard took the other passengers to the harbour of Skarn, where the Red Cross gave them \
blankets and hot tea.

Nobody was hurt, but 11 people breathed smoke and spent the night in a hospital. The fire burned for six hours. \
Workers of the harbour company pulled the ship to Grimsvoe on Thursday morning. The company owns four ferries \
and has 310 workers. It said that the Halden Star was built in 1998 and was checked in March.

The police will look at the engine room on Friday. A report of the transport office is expected in May. Mayor \
Odd Hansen thanked the fishermen and said that the town will give them a medal. The pupils came back to \
Northgate by bus on Thursday, and their parents waited for them at the school. The next ferry to Skarn will \
leave on Saturday."""
URL = "https://tribune.example/ferry"


def a_ferry(number: int = 1, /, **changes: Any) -> dict[str, Any]:
    return an_item(number, **({"title": TITLE, "body_text": BODY, "canonical_url": URL, "language": "en"} | changes))


async def store(database: Database, *items: dict[str, Any]) -> dict[str, str]:
    """Store articles; gives their public ids by title."""
    await told(database, items or [a_ferry()])
    async with database.connection() as conn:
        rows = await conn.fetch("SELECT title, article_id FROM documents")
    return {row["title"]: row["article_id"] for row in rows}


async def choose(database: Database, day: date) -> None:
    """Choose all articles for learners."""
    async with database.transaction() as conn:
        rows = await conn.fetch("SELECT document_id FROM documents ORDER BY document_id")
        chosen = [ListeningChoice(document_id=row["document_id"], score=0.5) for row in rows]
        await listening.put(conn, chosen, day=day)


ALL: tuple[Level, ...] = ("A1", "A2", "B1", "B2", "C1", "C2")
