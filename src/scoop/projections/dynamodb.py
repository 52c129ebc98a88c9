"""The dynamodb projection: sites, articles, summaries, crawl runs and retries as items of one DynamoDB table."""

import asyncio
import random
import re
from collections.abc import AsyncIterator, Sequence
from typing import Any

import msgspec

from scoop.core.plugin_types import PluginOptions
from scoop.core.projection_plans import Facts, ProjectedKind, Record, Upsert
from scoop.core.secrets import Secret
from scoop.core.shapes import summanow
from scoop.core.shapes.summanow import ArticleFacts, CrawlRunFacts, RetryFacts, SiteFacts, SummaryFacts
from scoop.errors import ConfigError, Reject, Retry
from scoop.projections import dynamodb_table
from scoop.projections.dynamodb_table import AccessKeys, Table, attributes, missing_indexes

BATCH = 25  # the most that BatchWriteItem takes
MAX_ITEM_BYTES = 400_000  # DynamoDB refuses items of more than 400 KB
PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2)  # seconds before unprocessed items are sent again
OWN_PARTITIONS = ("SITE#", "ARTICLE#", "RETRY#")  # a rebuild deletes nothing else
_TABLE_NAME = re.compile(r"[A-Za-z0-9_.-]{3,255}")
_ENDPOINT = re.compile(r"https?://[^/@\s]+/?")
_REGION = re.compile(r"[a-z0-9-]{1,40}")


class DynamoDB:
    """One DynamoDB table with sites, articles, summaries, crawl runs and retries: the single-table design of Summanow.

    The keys are `PK` and `SK`; `GSI1` to `GSI5` are those of the design, `GSI6` sorts articles and retries by time. An
    article whose date is corrected moves to its new key in one transaction. Items of runs and retries have a `ttl`.
    The package botocore is needed: `pip install 'scoop-news[dynamodb]'`. Keys are never taken from the environment of
    the library, and requests go to the one endpoint of the options only.
    """

    name = "dynamodb"
    access = "cli"
    waits = True
    base_url = "https://dynamodb.us-east-1.amazonaws.com"
    subjects: tuple[ProjectedKind, ...] = ("site", "article", "summary", "crawl_run", "retry")
    files: tuple[str, ...] = ()

    class Options(PluginOptions, frozen=True, kw_only=True):
        """The table and its account.

        `table`: the name of the table.
        `region`: the region of the table.
        `base_url`: the endpoint of another server with this protocol, as http://127.0.0.1:8000; by default that of the
        region.
        `create_table`: whether to create the table if it does not exist.
        `project`: the value of the tag `project` of a table that is created.
        `access_key_id`: the id of the access key.
        `secret_access_key`: the secret of the access key.
        """

        table: str = "summanow"
        region: str = "us-east-1"
        base_url: str = ""
        create_table: bool = False
        project: str = "summanow"
        access_key_id: Secret | None = None
        secret_access_key: Secret | None = None

    def __init__(self, options: Options) -> None:
        _check(options)
        endpoint = options.base_url or f"https://dynamodb.{options.region}.amazonaws.com"
        self._options = options
        self._table = Table(
            options.table, endpoint=endpoint, region=options.region, credentials=_credentials(options, endpoint)
        )
        self.target = f"{endpoint} {options.table}"

    def record(self, facts: Facts) -> Record:
        record = _record(facts)
        if len(msgspec.json.encode(record.content)) > MAX_ITEM_BYTES:
            raise Reject("the item has more than 400 KB, the limit of DynamoDB")
        return record

    async def prepare(self) -> None:
        description = await self._table.describe()
        if description is None and not self._options.create_table:
            raise ConfigError(
                f"there is no table {self._table.name} at {self._table.endpoint}; create it, or set "
                "SCOOP_PROJECTIONS_DYNAMODB_CREATE_TABLE to yes"
            )
        if description is None:
            await self._table.create(project=self._options.project)
        elif missing := missing_indexes(description):
            raise ConfigError(
                f"the table {self._table.name} lacks {', '.join(missing)}; add the indexes, or name a new table"
            )
        if self._options.create_table:
            await self._table.enable_ttl()

    async def upsert(self, batch: Sequence[Upsert]) -> None:
        """Put items; one that has another key now is moved in a transaction, so that no reader finds it twice."""
        upsert_by_key = {upsert.record.key: upsert for upsert in batch}
        puts = [_put(each) for each in upsert_by_key.values() if not each.stale_keys]
        moves = [self._move(each) for each in upsert_by_key.values() if each.stale_keys]
        await asyncio.gather(self._write(puts), *moves)

    async def delete(self, keys: Sequence[str]) -> None:
        await self._write([{"DeleteRequest": {"Key": _key(key)}} for key in dict.fromkeys(keys)])

    async def list_keys(self) -> AsyncIterator[Sequence[str]]:
        start: dict[str, Any] = {}
        while True:
            page = await self._table.request(
                "scan", TableName=self._table.name, ProjectionExpression="PK, SK", ConsistentRead=True, **start
            )
            keys = [f"{item['PK']['S']}\n{item['SK']['S']}" for item in page["Items"]]
            yield [key for key in keys if key.startswith(OWN_PARTITIONS)]
            if "LastEvaluatedKey" not in page:
                return
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    async def _write(self, requests: Sequence[dict[str, Any]]) -> None:
        batches = [requests[start : start + BATCH] for start in range(0, len(requests), BATCH)]
        await asyncio.gather(*map(self._write_batch, batches))

    async def _write_batch(self, requests: Sequence[dict[str, Any]]) -> None:
        """Write up to 25 items; those that the store did not take are sent again, after growing pauses."""
        for pause in (*PAUSES, None):
            response = await self._table.request("batch_write_item", RequestItems={self._table.name: requests})
            requests = response.get("UnprocessedItems", {}).get(self._table.name, [])
            if not requests:
                return
            if pause is not None:
                await asyncio.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311
        raise Retry(f"{self._table.endpoint} did not take {len(requests)} items of a batch", after=dynamodb_table.REST)

    async def _move(self, upsert: Upsert) -> None:
        table = self._table.name
        deletions = [{"Delete": {"TableName": table, "Key": _key(key)}} for key in upsert.stale_keys]
        put = {"Put": {"TableName": table, "Item": attributes(upsert.record.content)}}
        await self._table.request("transact_write_items", TransactItems=[*deletions, put])


def _check(options: DynamoDB.Options) -> None:
    if not _TABLE_NAME.fullmatch(options.table):
        raise ConfigError(f"the option table of the projection dynamodb is {options.table!r}, not a name of a table")
    if not _REGION.fullmatch(options.region):
        raise ConfigError(f"the option region of the projection dynamodb is {options.region!r}, not a region")
    if options.base_url and not _ENDPOINT.fullmatch(options.base_url):
        raise ConfigError(f"the option base_url of the projection dynamodb is {options.base_url!r}, not an address")


def _credentials(options: DynamoDB.Options, endpoint: str) -> AccessKeys:
    """The keys, for the endpoint that the operator chose."""
    secrets = {"access_key_id": options.access_key_id, "secret_access_key": options.secret_access_key}
    if missing := next((name for name, secret in secrets.items() if secret is None), None):
        variable = f"SCOOP_PROJECTIONS_DYNAMODB_{missing.upper()}"
        raise ConfigError(f"the projection dynamodb needs the option {missing}: set {variable}")
    values = {name: secret.bound_to(endpoint).for_url(endpoint) for name, secret in secrets.items() if secret}
    return AccessKeys(**values)


def _record(facts: Facts) -> Record:
    match facts:
        case SiteFacts():
            return _keyed(summanow.site_item(facts))
        case ArticleFacts():
            return _keyed(summanow.article_item(facts))
        case SummaryFacts():
            return _keyed(summanow.summary_item(facts))
        case CrawlRunFacts():
            return _keyed(summanow.crawl_run_item(facts), expires_at=summanow.run_expiry(facts))
        case RetryFacts():
            return _keyed(summanow.retry_item(facts), expires_at=summanow.retry_expiry(facts))
    raise TypeError(f"{type(facts).__name__} has no item")


def _keyed(item: summanow.Shape, **more: Any) -> Record:
    return Record(key=f"{item['PK']}\n{item['SK']}", content=item, **more)


def _key(key: str) -> dict[str, Any]:
    partition, _, sort = key.rpartition("\n")
    return attributes({"PK": partition, "SK": sort})


def _put(upsert: Upsert) -> dict[str, Any]:
    return {"PutRequest": {"Item": attributes(upsert.record.content)}}
