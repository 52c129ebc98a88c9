import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from moto.server import ThreadedMotoServer

from npm_servers import serving
from projections import learners, memories
from projections.learners import ListeningDesk
from projections.memories import RememberingDesk
from projections.tables import ProjectedDesk, a_projection
from scoop.store.db import Database

EMULATORS = Path(__file__).parent
os.environ.setdefault("GRPC_VERBOSITY", "ERROR")  # as the program: servers that end are no news


@pytest.fixture(scope="session")
def dynamodb_server() -> Iterator[str]:
    """A DynamoDB server on the loopback address."""
    running = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host}:{port}"
    running.stop()


@pytest.fixture
def desk(database: Database, dynamodb_server: str) -> ProjectedDesk:
    return ProjectedDesk(database, dynamodb_server, a_projection(dynamodb_server))


@pytest.fixture(scope="session")
def firestore_server() -> Iterator[str]:
    """A Firestore server on the loopback address."""
    with serving(EMULATORS / "firestore_emulator") as address:
        yield address


@pytest.fixture
def memory(database: Database, firestore_server: str) -> RememberingDesk:
    return RememberingDesk(database, firestore_server, memories.a_projection(firestore_server))


@pytest.fixture(scope="session")
def cosmos_server() -> Iterator[str]:
    """A Cosmos DB server on the loopback address."""
    with serving(EMULATORS / "cosmos_emulator") as address:
        yield address


@pytest.fixture
def listening(database: Database, cosmos_server: str) -> ListeningDesk:
    return ListeningDesk(database, cosmos_server, learners.a_projection(cosmos_server))
