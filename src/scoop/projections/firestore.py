"""The firestore projection: what curators posted and rejected, as documents of two Firestore collections."""

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace

from scoop.core.plugin_types import PluginOptions
from scoop.core.projection_plans import Facts, ProjectedKind, Record, Upsert
from scoop.core.secrets import Secret
from scoop.core.shapes import curator_memory
from scoop.core.shapes.curator_memory import EvaluationFacts, StoredDocument
from scoop.errors import ConfigError
from scoop.faults import fault
from scoop.projections.firestore_database import (
    BATCH,
    DeleteDocument,
    DocumentWrite,
    FirestoreDatabase,
    SetFields,
    is_emulator,
)

DEFAULT_DATABASE = "(default)"
_PROJECT = re.compile(r"[a-z0-9][a-z0-9.:-]{0,99}")
_DATABASE = re.compile(r"\(default\)|[a-z][a-z0-9-]{3,62}")
_PREFIX = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}|")
_ENDPOINT = re.compile(r"https?://[^/@\s]+/?")


class Firestore:
    """Two Firestore collections, `notified_articles` and `rejected_articles`: the memory of the curators.

    A document has the time, the message or the reason, the title and the score of an article, its `url` and
    `readable_id`, its `curator`, and `expires_at`, the field for a TTL policy. Its id is the curator, a dot and the URL
    in base64url. Fields that other programs add stay, and so do documents whose ids have another form. The package
    google-cloud-firestore is needed: `pip install 'scoop-news[firestore]'`. The account is never taken from the
    environment of the library, and requests go to the one endpoint of the options only.
    """

    name = "firestore"
    access = "cli"
    waits = True
    base_url = "https://firestore.googleapis.com"
    subjects: tuple[ProjectedKind, ...] = ("evaluation",)
    files: tuple[str, ...] = ("firestore.rules", "firestore.indexes.json")

    class Options(PluginOptions, frozen=True, kw_only=True):
        """The database and its account.

        `project`: the id of the Google Cloud project.
        `database`: the id of the database.
        `collection_prefix`: begins the names of the collections, as `test_`: for several desks in one database.
        `base_url`: the address of an emulator, as http://127.0.0.1:8080; it needs no account.
        `credentials`: the JSON key of a service account with the role roles/datastore.user.
        """

        project: str = ""
        database: str = DEFAULT_DATABASE
        collection_prefix: str = ""
        base_url: str = ""
        credentials: Secret | None = None

    def __init__(self, options: Options) -> None:
        _check(options)
        endpoint = options.base_url.rstrip("/") or self.base_url
        self._database = FirestoreDatabase(
            endpoint=endpoint,
            project=options.project,
            database=options.database,
            credentials=_credentials(options, endpoint),
        )
        self._prefix = options.collection_prefix
        self.target = f"{endpoint} {self._database.name} {self._prefix}".rstrip()

    def record(self, facts: Facts) -> Record:
        if not isinstance(facts, EvaluationFacts):
            raise TypeError(f"{type(facts).__name__} has no document")
        document = curator_memory.document(facts)
        key = f"{self._prefix}{document.path}"
        return Record(key=key, content=document.fields, expires_at=document.fields["expires_at"])

    async def prepare(self) -> None:
        await self._database.check(f"{self._prefix}{curator_memory.NOTIFIED}")

    async def upsert(self, batch: Sequence[Upsert]) -> None:
        """Set documents, 500 writes at a time; one that moves to the other collection does so in one step.

        Documents that may be there already are read first: a read costs a third of a write, and has a larger quota.
        """
        stored = await self._database.get_all([each.record.key for each in batch if each.is_repeated])
        changed = [each for each in batch if each.stale_keys or not _is_stored(each.record, stored)]
        for writes in _batches([_writes(each) for each in changed]):
            await self._database.commit(writes)
            fault("project.written")

    async def delete(self, keys: Sequence[str]) -> None:
        await self._database.delete(list(dict.fromkeys(keys)))

    async def list_keys(self) -> AsyncIterator[Sequence[str]]:
        for collection in curator_memory.COLLECTIONS:
            async for page in self._database.list_documents(f"{self._prefix}{collection}", only_ids=True):
                yield [each.path for each in page if curator_memory.parse_id(each.document_id) is not None]

    async def list_memory(self) -> AsyncIterator[StoredDocument]:
        """All documents of both collections, also those of other programs."""
        for collection in curator_memory.COLLECTIONS:
            async for page in self._database.list_documents(f"{self._prefix}{collection}"):
                for each in page:
                    yield replace(each, collection=collection)


def _check(options: Firestore.Options) -> None:
    patterns = {
        "project": (_PROJECT, "the id of a project"),
        "database": (_DATABASE, "the id of a database"),
        "collection_prefix": (_PREFIX, "up to 100 letters, digits, - and _"),
    }
    for name, (pattern, meaning) in patterns.items():
        value = getattr(options, name)
        if not pattern.fullmatch(value):
            variable = f"SCOOP_PROJECTIONS_FIRESTORE_{name.upper()}"
            raise ConfigError(
                f"the option {name} of the projection firestore is {value!r}, not {meaning}: set {variable}"
            )
    if options.base_url and not _ENDPOINT.fullmatch(options.base_url):
        raise ConfigError(f"the option base_url of the projection firestore is {options.base_url!r}, not an address")


def _credentials(options: Firestore.Options, endpoint: str) -> str:
    """The key, for the endpoint that the operator chose; an emulator gets none."""
    if is_emulator(endpoint):
        return ""
    if options.credentials is None:
        variable = "SCOOP_PROJECTIONS_FIRESTORE_CREDENTIALS_FILE"
        raise ConfigError(f"the projection firestore needs the option credentials: set {variable} to the file with it")
    return options.credentials.bound_to(endpoint).for_url(endpoint)


def _is_stored(record: Record, stored: dict[str, StoredDocument]) -> bool:
    """Whether a document has these fields already; it may have more."""
    document = stored.get(record.key)
    return document is not None and record.content.items() <= document.fields.items()


def _writes(upsert: Upsert) -> list[DocumentWrite]:
    stale = [DeleteDocument(path=key) for key in upsert.stale_keys]
    return [*stale, SetFields(path=upsert.record.key, fields=upsert.record.content)]


def _batches(groups: Sequence[list[DocumentWrite]]) -> Iterator[list[DocumentWrite]]:
    """The writes in batches that the store takes; those of one group stay together.

    500 documents with the longest URLs and titles that a desk stores have 9 MB, less than the limit of 10 MiB.
    """
    batch: list[DocumentWrite] = []
    for group in groups:
        if batch and len(batch) + len(group) > BATCH:
            yield batch
            batch = []
        batch += group
    if batch:
        yield batch
