"""The newsstand, and a desk that visits it."""

from collections.abc import AsyncIterator, Iterator

import pytest
from newsstand_builders import ANCHOR, Clock

from plugins.desks import SANDBOX, Desk
from scoop.fetch.client import open_client
from scoop.newsstand import server, world
from scoop.serve import serving


@pytest.fixture(scope="session", autouse=True)
def _sandbox() -> Iterator[None]:
    yield
    SANDBOX.close()


@pytest.fixture(scope="session")
def shipped() -> world.World:
    return world.load(world.SHIPPED)


@pytest.fixture
async def desk(shipped) -> AsyncIterator[Desk]:
    """A desk at the newsstand, on which it is always noon until the clock is turned."""
    clock = Clock()
    app = server.create_app(shipped, ANCHOR, clock)
    async with serving(app) as url, open_client() as client:
        yield Desk(address=url.removeprefix("http://"), client=client, clock=clock, app=app)
