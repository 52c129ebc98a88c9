"""The client of one Firestore database: reads and writes in threads, typed errors, metrics, and field values."""

import asyncio
import json
import os
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any, TypeVar
from urllib.parse import urlsplit

from scoop import metrics
from scoop.core import service_errors
from scoop.core.shapes.curator_memory import StoredDocument
from scoop.errors import ConfigError, Retry

BATCH = 500  # documents of one request: the most that a commit takes, and that GetAll should be asked for
REQUEST_SECONDS, STREAM_SECONDS = 30, 300
INSTALL = "Firestore needs the package google-cloud-firestore: pip install 'scoop-news[firestore]'"
ROLE = "give the service account the role roles/datastore.user"
EMULATOR_TOKEN = "owner"  # noqa: S105 - an emulator takes it for an administrator: no rules bind it
HTTPS = 443
CHANNEL_OPTIONS = (
    ("grpc.enable_http_proxy", 0),  # the environment chooses no address
    ("grpc.service_config_disable_resolution", 1),
    ("grpc.max_receive_message_length", -1),
)

Fields = Mapping[str, Any]
ReplyT = TypeVar("ReplyT")


@dataclass(frozen=True, slots=True, kw_only=True)
class SetFields:
    """Set these fields of a document; others stay, and a missing document is created.

    `path` is the collection, a slash and the id.
    """

    path: str
    fields: Fields


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteDocument:
    """Delete a document; a missing one is not an error."""

    path: str


DocumentWrite = SetFields | DeleteDocument


class MissingDatabase(ConfigError):
    """The answer NotFound: documents that are missing are listed as such, so it is the database."""


class FirestoreDatabase:
    """One database; a request that fails is a Retry with the class of its error, or a ConfigError."""

    def __init__(self, *, endpoint: str, project: str, database: str, credentials: str) -> None:
        self.name = f"projects/{project}/databases/{database}"
        self.endpoint = endpoint
        self._api = _open_api(endpoint, credentials)
        self._metadata = [("google-cloud-resource-prefix", self.name)]
        if is_emulator(endpoint):
            self._metadata.append(("authorization", f"Bearer {EMULATOR_TOKEN}"))

    async def check(self, collection: str) -> None:
        """Read from a collection: ConfigError if there is no such database, Retry if it cannot be used now."""
        await self._request("get_all", partial(self._get_all, [f"{collection}/check"]))

    async def get_all(self, paths: Sequence[str]) -> dict[str, StoredDocument]:
        """Those of these documents that exist, by path, in requests of up to 500."""
        found: dict[str, StoredDocument] = {}
        with suppress(MissingDatabase):
            for start in range(0, len(paths), BATCH):
                documents = await self._request("get_all", partial(self._get_all, paths[start : start + BATCH]))
                found |= {document.path: document for document in documents}
        return found

    async def commit(self, writes: Sequence[DocumentWrite]) -> None:
        """Carry out up to 500 writes, all or none."""
        await self._request("commit", partial(self._commit, writes))

    async def delete(self, paths: Sequence[str]) -> None:
        """Delete documents; those that are missing are not an error."""
        with suppress(MissingDatabase):
            for start in range(0, len(paths), BATCH):
                await self.commit([DeleteDocument(path=path) for path in paths[start : start + BATCH]])

    async def list_documents(self, collection: str, *, only_ids: bool = False) -> AsyncIterator[list[StoredDocument]]:
        """All documents of a collection, in pages, by one query."""
        with suppress(MissingDatabase):
            stream = await self._request("query", partial(self._query, collection, only_ids=only_ids))
            while page := await self._attempt(partial(self._page, stream, collection)):
                yield page

    async def _request(self, operation: str, call: Callable[[], ReplyT]) -> ReplyT:
        began = time.monotonic()
        try:
            return await self._attempt(call)
        finally:
            metrics.FIRESTORE_LATENCY.observe(time.monotonic() - began, operation=operation)

    async def _attempt(self, call: Callable[[], ReplyT]) -> ReplyT:
        from google.api_core.exceptions import GoogleAPICallError

        try:
            return await asyncio.to_thread(call)
        except GoogleAPICallError as error:
            code = _code(error)
            metrics.FIRESTORE_ERRORS.add(code=code)
            raise self._failure(code, error.message) from error

    def _failure(self, code: str, message: str) -> Exception:
        error_class = service_errors.of_grpc(code)
        if error_class == "not_found":
            return MissingDatabase(f"there is no database {self.name} at {self.endpoint}: create it, or name another")
        advice = f"; {ROLE}" if error_class == "denied" else ""
        after = service_errors.wait(error_class, now=datetime.now(UTC))
        return Retry(f"{self.endpoint} answered {code}: {message}{advice}", after=after, error_class=error_class)

    # In threads

    def _get_all(self, paths: Sequence[str]) -> list[StoredDocument]:
        from google.cloud.firestore_v1 import types

        request = types.BatchGetDocumentsRequest(
            database=self.name, documents=[self._full_name(path) for path in paths]
        )
        replies = self._api.batch_get_documents(request, **self._call_options(REQUEST_SECONDS))
        found = [self._document(reply.found) for reply in replies if reply.found.name]
        for collection, count in Counter(map(_collection, paths)).items():
            metrics.FIRESTORE_READS.add(count, collection=collection)  # a missing document costs a read too
        return found

    def _commit(self, writes: Sequence[DocumentWrite]) -> None:
        from google.cloud.firestore_v1 import types

        request = types.CommitRequest(database=self.name, writes=list(map(self._write, writes)))
        self._api.commit(request, **self._call_options(REQUEST_SECONDS))
        for write in writes:
            counter = metrics.FIRESTORE_WRITES if isinstance(write, SetFields) else metrics.FIRESTORE_DELETES
            counter.add(collection=_collection(write.path))  # each kind has a free quota of its own

    def _write(self, write: DocumentWrite) -> Any:
        from google.cloud.firestore_v1 import types

        if isinstance(write, DeleteDocument):
            return types.Write(delete=self._full_name(write.path))
        fields = {name: _encode(value) for name, value in write.fields.items()}
        return types.Write(
            update=types.Document(name=self._full_name(write.path), fields=fields),
            update_mask=types.DocumentMask(field_paths=list(write.fields)),
        )

    def _query(self, collection: str, *, only_ids: bool) -> Iterator[Any]:
        from google.cloud.firestore_v1 import types

        query = types.StructuredQuery(
            from_=[types.StructuredQuery.CollectionSelector(collection_id=collection)],
            select=types.StructuredQuery.Projection(
                fields=[types.StructuredQuery.FieldReference(field_path="__name__")] if only_ids else []
            ),
        )
        request = types.RunQueryRequest(parent=f"{self.name}/documents", structured_query=query)
        return iter(self._api.run_query(request, **self._call_options(STREAM_SECONDS)))

    def _page(self, stream: Iterator[Any], collection: str) -> list[StoredDocument]:
        page = [self._document(reply.document) for reply in islice(stream, BATCH) if reply.document.name]
        metrics.FIRESTORE_READS.add(len(page), collection=collection)
        return page

    def _call_options(self, seconds: int) -> dict[str, Any]:
        """The library must not retry: the stage does, after 5, 15 and 45 seconds."""
        return {"retry": None, "timeout": seconds, "metadata": self._metadata}

    def _full_name(self, path: str) -> str:
        return f"{self.name}/documents/{path}"

    def _document(self, document: Any) -> StoredDocument:
        collection, _, document_id = document.name.removeprefix(self._full_name("")).partition("/")
        fields = {name: _decode(value) for name, value in document.fields.items()}
        return StoredDocument(collection=collection, document_id=document_id, fields=fields)


def is_emulator(endpoint: str) -> bool:
    """Whether an address is that of an emulator, which has neither encryption nor accounts."""
    return endpoint.startswith("http:")


def _open_api(endpoint: str, credentials: str) -> Any:
    """The requests of the protocol, over a connection to this endpoint; nothing is taken from the environment."""
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")  # it would write to the terminal about each closed connection
    try:
        import grpc
        from google.cloud.firestore_v1.services.firestore import FirestoreClient
        from google.cloud.firestore_v1.services.firestore.transports import FirestoreGrpcTransport
    except ImportError as error:
        raise ConfigError(INSTALL) from error
    parsed = urlsplit(endpoint)
    if is_emulator(endpoint):
        channel = grpc.insecure_channel(parsed.netloc, options=CHANNEL_OPTIONS)
    else:
        account = _service_account(credentials, f"https://{parsed.hostname}/")
        target = f"{parsed.hostname}:{parsed.port or HTTPS}"
        channel = FirestoreGrpcTransport.create_channel(target, credentials=account, options=CHANNEL_OPTIONS)
    return FirestoreClient(transport=FirestoreGrpcTransport(host=parsed.netloc, channel=channel))


def _service_account(key: str, audience: str) -> Any:
    """The account of a key in JSON. It signs its own tokens, so that no other server is asked for one."""
    from google.auth.jwt import Credentials

    try:
        return Credentials.from_service_account_info(json.loads(key), audience=audience)
    except (ValueError, TypeError, AttributeError) as error:
        raise ConfigError(
            "SCOOP_PROJECTIONS_FIRESTORE_CREDENTIALS is not the JSON key of a service account; set "
            "SCOOP_PROJECTIONS_FIRESTORE_CREDENTIALS_FILE to the file that the vendor's console gave you"
        ) from error


def _code(error: Any) -> str:
    """The status code of an error, as PermissionDenied."""
    status = error.grpc_status_code
    return service_errors.code_name(status.name) if status is not None else "Unknown"


def _collection(path: str) -> str:
    return path.partition("/")[0]


# Field values


def _encode(value: Any) -> Any:
    from google.cloud.firestore_v1 import types

    match value:
        case None:
            return types.Value(null_value=0)
        case str():
            return types.Value(string_value=value)
        case int():
            return types.Value(integer_value=value)
        case datetime():
            return types.Value(timestamp_value=value)
    raise TypeError(f"{type(value).__name__} has no field type")


def _decode(value: Any) -> Any:
    """A field as text, number, truth or time; None for null, and for the types that articles do not have."""
    stored = type(value).pb(value)
    match kind := stored.WhichOneof("value_type"):
        case "string_value" | "integer_value" | "double_value" | "boolean_value":
            return getattr(stored, kind)
        case "timestamp_value":
            return stored.timestamp_value.ToDatetime(tzinfo=UTC)
    return None
