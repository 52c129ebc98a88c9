"""The client of one Cosmos DB account: requests in threads, and typed errors."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from importlib.util import find_spec
from itertools import islice
from typing import Any, TypeVar

from scoop.core import service_errors
from scoop.errors import ConfigError, Retry

PARALLEL = 8  # requests at a time; the containers are small, and the smallest account takes 400 units a second
REQUEST_SECONDS = 30
PAGE = 1_000  # keys that are listed at once
TOO_MANY_REQUESTS = 429
REST = timedelta(seconds=30)  # after the client's own nine attempts at a request that was refused with 429
INSTALL = "Cosmos DB needs the package azure-cosmos: pip install 'scoop-news[cosmos]'"

ReplyT = TypeVar("ReplyT")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerDesign:
    """A container with the path of its partition key, and what is indexed if that is not everything."""

    database: str
    name: str
    partition_path: str
    indexing_policy: Mapping[str, Any] | None = None

    @property
    def partition_field(self) -> str:
        return self.partition_path.removeprefix("/")


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentKey:
    """Where a document is: its container, the value of its partition key, and its id."""

    container: str
    partition: str
    document_id: str

    @classmethod
    def parse(cls, key: str) -> "DocumentKey":
        container, partition, document_id = key.split("/", 2)
        return cls(container=container, partition=partition, document_id=document_id)

    def __str__(self) -> str:
        return f"{self.container}/{self.partition}/{self.document_id}"


class MissingResource(ConfigError):
    """The answer 404: a document, a container or a database is not there."""


class CosmosAccount:
    """The containers of one account; a request that fails is a Retry with the class of its error, or a ConfigError."""

    def __init__(self, *, endpoint: str, key: str, designs: Sequence[ContainerDesign]) -> None:
        self.endpoint = endpoint
        self._key = key
        self._designs = {design.name: design for design in designs}
        self._slots = asyncio.Semaphore(PARALLEL)
        _check_package()

    async def check(self, design: ContainerDesign) -> None:
        """ConfigError if a container is missing or has another partition key."""
        found = await self._request(lambda: self._container(design.name).read())
        if found["partitionKey"]["paths"] != [design.partition_path]:
            raise ConfigError(
                f"the container {design.name} of the database {design.database} must have the partition key "
                f"{design.partition_path}: name another database"
            )

    async def create(self, design: ContainerDesign) -> None:
        """Create a container, and its database, unless they are there."""
        from azure.cosmos import PartitionKey

        database = await self._request(lambda: self._client.create_database_if_not_exists(design.database))
        named: dict[str, Any] = {"indexing_policy": design.indexing_policy} if design.indexing_policy else {}
        partition_key = PartitionKey(path=design.partition_path)
        await self._request(lambda: database.create_container_if_not_exists(design.name, partition_key, **named))

    async def upsert(self, container: str, document: Mapping[str, Any]) -> None:
        await self._request(lambda: self._container(container).upsert_item(dict(document)))

    async def find(self, key: DocumentKey) -> Mapping[str, Any] | None:
        """A document, by a point read; None if it is missing."""
        with suppress(MissingResource):
            found: Mapping[str, Any] = await self._request(
                lambda: self._container(key.container).read_item(key.document_id, partition_key=key.partition)
            )
            return found
        return None

    async def query(
        self, container: str, query: str, parameters: Mapping[str, str], *, partition: str | None = None
    ) -> list[Mapping[str, Any]]:
        """The documents that a query gives, in one partition or in all."""
        values = [{"name": name, "value": value} for name, value in parameters.items()]
        where = {"partition_key": partition} if partition is not None else {"enable_cross_partition_query": True}
        return await self._request(
            lambda: list(self._container(container).query_items(query, parameters=values, **where))
        )

    async def delete(self, key: DocumentKey) -> None:
        """Delete a document; a missing one is not an error."""
        with suppress(MissingResource):
            await self._request(
                lambda: self._container(key.container).delete_item(key.document_id, partition_key=key.partition)
            )

    async def list_keys(self, design: ContainerDesign) -> AsyncIterator[list[DocumentKey]]:
        """The keys of all documents of a container, in pages; none if it is missing."""
        query = f"SELECT c.id, c.{design.partition_field} AS partition FROM c"  # noqa: S608 - the field is our own
        with suppress(MissingResource):
            found = await self._request(
                lambda: self._container(design.name).query_items(query, enable_cross_partition_query=True)
            )
            while page := await self._request(lambda: list(islice(found, PAGE))):
                yield [
                    DocumentKey(container=design.name, partition=each["partition"], document_id=each["id"])
                    for each in page
                ]

    async def _request(self, call: Callable[[], ReplyT]) -> ReplyT:
        from azure.core.exceptions import AzureError

        async with self._slots:
            try:
                return await asyncio.to_thread(call)
            except AzureError as error:
                raise self._failure(error) from error

    def _failure(self, error: Any) -> Exception:
        status: int | None = getattr(error, "status_code", None)
        error_class = service_errors.of_http(status)
        if error_class == "not_found":
            return MissingResource(f"{self.endpoint} has no such database, container or document")
        reason = f"{self.endpoint} answered {status}" if status else f"no answer from {self.endpoint}"
        after = REST if status == TOO_MANY_REQUESTS else service_errors.wait(error_class, now=datetime.now(UTC))
        advice = "; check the key in SCOOP_PROJECTIONS_COSMOS_KEY" if error_class == "denied" else ""
        return Retry(f"{reason}: {_message(error)}{advice}", after=after, error_class=error_class)

    # In threads

    @cached_property
    def _client(self) -> Any:
        """The vendor's client, which asks the server as soon as it is made."""
        return _open_client(self.endpoint, self._key)

    def _container(self, name: str) -> Any:
        return self._client.get_database_client(self._designs[name].database).get_container_client(name)


def _message(error: Any) -> str:
    return str(error.message).strip().partition("\n")[0][:200]


def _check_package() -> None:
    if find_spec("azure") is None or find_spec("azure.cosmos") is None:
        raise ConfigError(INSTALL)


def _open_client(endpoint: str, key: str) -> Any:
    """A client for this endpoint only: no other region, no proxy and nothing else of the environment."""
    from azure.core.pipeline.transport import RequestsTransport
    from azure.cosmos import CosmosClient

    return CosmosClient(
        endpoint,
        credential=key,
        enable_endpoint_discovery=False,
        request_timeout=REQUEST_SECONDS,
        transport=RequestsTransport(use_env_settings=False),
    )
