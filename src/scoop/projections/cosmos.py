"""The cosmos projection: learners, articles, lessons and cached sentiment as documents of Azure Cosmos DB."""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from datetime import date
from uuid import UUID

import msgspec

from scoop.core.listening import UpdateState
from scoop.core.plugin_types import PluginOptions
from scoop.core.projection_plans import Facts, ProjectedKind, Record, Upsert
from scoop.core.secrets import Secret
from scoop.core.sentiment_cache import HOURS, CacheMetadata, Period, SentimentCacheEntry
from scoop.core.shapes import listening, sentiment
from scoop.core.shapes.listening import GeneratedTextFacts, LearnerFacts, ListeningArticleFacts, Shape
from scoop.errors import ConfigError, Reject
from scoop.faults import fault
from scoop.model import Level
from scoop.projections.cosmos_account import ContainerDesign, CosmosAccount, DocumentKey, MissingResource

USERS, ARTICLES, GENERATED_TEXTS, SYSTEM = "users", "articles", "generated_texts", "system"
SENTIMENT_CACHE = "sentiment_cache"
CONTAINERS = {
    USERS: "/userId",
    ARTICLES: "/dayKey",
    GENERATED_TEXTS: "/articleId",
    SYSTEM: "/type",
    SENTIMENT_CACHE: "/tool_id",
}
INDEXING_POLICIES = {
    SENTIMENT_CACHE: {
        "indexingMode": "consistent",
        "automatic": True,
        "includedPaths": [
            {"path": "/tool_id/?"},
            {"path": "/period/?"},
            {"path": "/last_updated_ts/?"},
            {"path": "/_ts/?"},
        ],
        "excludedPaths": [{"path": "/*"}],
    }
}
ARTICLES_OF_DAY = "SELECT * FROM c WHERE c.type = 'article' AND c.dayKey = @day"
ARTICLE_BY_ID = "SELECT * FROM c WHERE c.id = @id"
BATCH = 100  # documents that are written before the next ones begin
MAX_DOCUMENT_BYTES = 2_000_000
_DATABASE = re.compile(r"[A-Za-z0-9_.-]{1,255}")
_ENDPOINT = re.compile(r"https?://[^/@\s]+/?")


class Cosmos:
    """A database of Azure Cosmos DB: `users`, `articles`, `generated_texts`, `system` and `sentiment_cache`.

    Partition keys are `/userId`, `/dayKey`, `/articleId`, `/type` and `/tool_id`. An article whose date is corrected
    moves to the partition of its new day. An id cannot have `#`: that of a generated text has `:` in its place, and its
    field `textId` is `{articleId}#{level}`. The package azure-cosmos is needed: `pip install 'scoop-news[cosmos]'`.
    Requests go to the one endpoint of the options only.
    """

    name = "cosmos"
    access = "cli"
    waits = True
    subjects: tuple[ProjectedKind, ...] = (
        "learner", "listening_article", "lesson", "news_update", "sentiment_entry", "sentiment_metadata",
    )  # fmt: skip
    files: tuple[str, ...] = ()

    class Options(PluginOptions, frozen=True, kw_only=True):
        """The database and its account.

        `base_url`: the address of the account, as https://NAME.documents.azure.com, or of an emulator.
        `database`: the name of the database.
        `create_containers`: whether to create the database and its containers if they do not exist.
        `key`: the key of the account.
        """

        base_url: str = ""
        database: str = "ai_news_listening"
        create_containers: bool = False
        key: Secret | None = None

    def __init__(self, options: Options) -> None:
        _check(options)
        endpoint = options.base_url.rstrip("/")
        self._creates = options.create_containers
        self._designs = [
            ContainerDesign(
                database=options.database,
                name=name,
                partition_path=path,
                indexing_policy=INDEXING_POLICIES.get(name),
            )
            for name, path in CONTAINERS.items()
        ]
        self._account = CosmosAccount(endpoint=endpoint, key=_key(options, endpoint), designs=self._designs)
        self.target = f"{endpoint} {options.database}"

    def record(self, facts: Facts) -> Record:
        container, document = _document(facts)
        partition = document[CONTAINERS[container].removeprefix("/")]
        if len(msgspec.json.encode(document)) > MAX_DOCUMENT_BYTES:
            raise Reject("the document has more than 2 MB, the limit of Cosmos DB")
        key = DocumentKey(container=container, partition=partition, document_id=document["id"])
        return Record(key=str(key), content=document)

    async def prepare(self) -> None:
        for design in self._designs:
            if self._creates:
                await self._account.create(design)
            try:
                await self._account.check(design)
            except MissingResource as error:
                raise ConfigError(
                    f"there is no container {design.name} in the database {design.database}; create it with the "
                    f"partition key {design.partition_path}, or set SCOOP_PROJECTIONS_COSMOS_CREATE_CONTAINERS to yes"
                ) from error

    async def upsert(self, batch: Sequence[Upsert]) -> None:
        """Write documents; one that moves is written first and deleted under its old key then.

        The two partitions have no common transaction. A crash in between leaves both for a moment: the key that is left
        is known, and the next attempt deletes it.
        """
        for start in range(0, len(batch), BATCH):
            await asyncio.gather(*map(self._put, batch[start : start + BATCH]))
            fault("project.written")

    async def _put(self, upsert: Upsert) -> None:
        key = DocumentKey.parse(upsert.record.key)
        await self._account.upsert(key.container, upsert.record.content)
        for stale in upsert.stale_keys:
            await self._account.delete(DocumentKey.parse(stale))

    async def delete(self, keys: Sequence[str]) -> None:
        unique = list(dict.fromkeys(keys))
        for start in range(0, len(unique), BATCH):
            parsed = map(DocumentKey.parse, unique[start : start + BATCH])
            await asyncio.gather(*map(self._account.delete, parsed))

    async def list_keys(self) -> AsyncIterator[Sequence[str]]:
        for design in self._designs:
            async for page in self._account.list_keys(design):
                yield [str(key) for key in page]

    async def list_articles(self, days: Sequence[date]) -> list[Shape]:
        """The articles of these days, by one query in the partition of each."""
        keys = [listening.day(day) for day in days]
        found = await asyncio.gather(
            *(self._account.query(ARTICLES, ARTICLES_OF_DAY, {"@day": key}, partition=key) for key in keys)
        )
        return [listening.read_stored(document) for documents in found for document in documents]

    async def find_article(self, article_id: str) -> Shape | None:
        """An article, by a query in all partitions: its day is not known."""
        found = await self._account.query(ARTICLES, ARTICLE_BY_ID, {"@id": article_id})
        return next(iter(listening.newest_first(map(listening.read_stored, found))), None)

    async def find_text(self, article_id: str, level: Level) -> Shape | None:
        document_id = listening.stored_text_id(article_id, level)
        return await self._find(DocumentKey(container=GENERATED_TEXTS, partition=article_id, document_id=document_id))

    async def find_user(self, user_id: int) -> Shape | None:
        name = listening.user_name(user_id)
        return await self._find(DocumentKey(container=USERS, partition=name, document_id=name))

    async def _find(self, key: DocumentKey) -> Shape | None:
        found = await self._account.find(key)
        return None if found is None else listening.read_stored(found)

    async def put_user(self, learner: LearnerFacts) -> None:
        await self._account.upsert(USERS, listening.user(learner))

    async def find_entry(self, tool_id: UUID, period: Period) -> SentimentCacheEntry | None:
        found = await self._account.find(_entry_key(tool_id, period))
        return None if found is None else sentiment.read_cache_entry(found)

    async def drop_entries(self, tool_id: UUID) -> None:
        await asyncio.gather(*(self._account.delete(_entry_key(tool_id, period)) for period in HOURS))


def _entry_key(tool_id: UUID, period: Period) -> DocumentKey:
    return DocumentKey(container=SENTIMENT_CACHE, partition=str(tool_id), document_id=f"{tool_id}:{period}")


def _check(options: Cosmos.Options) -> None:
    if not _ENDPOINT.fullmatch(options.base_url):
        raise ConfigError(
            f"the option base_url of the projection cosmos is {options.base_url!r}, not the address of an account, as "
            "https://NAME.documents.azure.com: set SCOOP_PROJECTIONS_COSMOS_BASE_URL"
        )
    if not _DATABASE.fullmatch(options.database):
        raise ConfigError(f"the option database of the projection cosmos is {options.database!r}, not a name")


def _key(options: Cosmos.Options, endpoint: str) -> str:
    """The key, for the endpoint that the operator chose."""
    if options.key is None:
        raise ConfigError("the projection cosmos needs the option key: set SCOOP_PROJECTIONS_COSMOS_KEY")
    return options.key.bound_to(endpoint).for_url(endpoint)


def _document(facts: Facts) -> tuple[str, Shape]:
    """The container of a document, and the document."""
    match facts:
        case LearnerFacts():
            return USERS, listening.user(facts)
        case ListeningArticleFacts():
            return ARTICLES, listening.article(facts)
        case GeneratedTextFacts():
            return GENERATED_TEXTS, listening.stored_text(facts)
        case UpdateState():
            return SYSTEM, listening.job_state(facts)
        case SentimentCacheEntry():
            return SENTIMENT_CACHE, sentiment.cache_entry(facts)
        case CacheMetadata():
            return SENTIMENT_CACHE, sentiment.cache_metadata(facts)
    raise TypeError(f"{type(facts).__name__} has no document")
