"""The client of one DynamoDB table: its definition, requests in threads, typed errors, and attribute values."""

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from scoop.errors import ConfigError, Retry

CONCURRENT_REQUESTS = 4
CONNECT_SECONDS, READ_SECONDS = 5, 20
REST = timedelta(seconds=30)  # after the store asked for fewer requests
INDEXES = ("GSI1", "GSI2", "GSI3", "GSI4", "GSI5", "GSI6")
TTL = "ttl"
THROTTLED = frozenset(
    {"ProvisionedThroughputExceededException", "RequestLimitExceeded", "ThrottlingException", "LimitExceededException"}
)
REFUSED = frozenset(
    {
        "AccessDeniedException",
        "IncompleteSignatureException",
        "InvalidSignatureException",
        "MissingAuthenticationTokenException",
        "UnrecognizedClientException",
    }
)
MISSING, EXISTS = "ResourceNotFoundException", "ResourceInUseException"
INSTALL = "the projection dynamodb needs the package botocore: pip install 'scoop-news[dynamodb]'"
_FROM_NOTHING = {
    "profile": (None, None, None, None),
    "config_file": (None, None, os.devnull, None),
    "credentials_file": (None, None, os.devnull, None),
}
"""Variables of the library that would otherwise come from the environment or the user's home."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessKeys:
    access_key_id: str
    secret_access_key: str


class Table:
    """One table; every request runs in a thread, and its failure is a Retry or a ConfigError."""

    def __init__(self, name: str, *, endpoint: str, region: str, credentials: AccessKeys) -> None:
        self.name, self.endpoint = name, endpoint
        self._client = _client(endpoint, region, credentials)
        self._turns = asyncio.Semaphore(CONCURRENT_REQUESTS)

    async def request(self, action: str, **params: Any) -> Any:
        """The response of an action of the client, as `scan`, about this table."""
        call: Callable[..., Any] = getattr(self._client, action)
        async with self._turns:
            with self._failures():
                return await asyncio.to_thread(call, **params)

    async def describe(self) -> Any | None:
        """The description of the table; None if it does not exist."""
        try:
            return (await self.request("describe_table", TableName=self.name))["Table"]
        except ConfigError as error:
            if _code(error.__cause__) == MISSING:
                return None
            raise

    async def create(self, *, project: str) -> None:
        """Create the table with its indexes, unless another worker does, and wait until it can be used."""
        try:
            await self.request("create_table", **definition(self.name, project=project))
        except Retry as error:
            if _code(error.__cause__) != EXISTS:
                raise
        waiter = self._client.get_waiter("table_exists")
        with self._failures():
            await asyncio.to_thread(waiter.wait, TableName=self.name, WaiterConfig={"Delay": 1, "MaxAttempts": 120})

    async def enable_ttl(self) -> None:
        """Let the store delete items whose time has come, unless it does already."""
        described = await self.request("describe_time_to_live", TableName=self.name)
        if described["TimeToLiveDescription"]["TimeToLiveStatus"] == "DISABLED":
            specification = {"Enabled": True, "AttributeName": TTL}
            await self.request("update_time_to_live", TableName=self.name, TimeToLiveSpecification=specification)

    @contextmanager
    def _failures(self) -> Iterator[None]:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            yield
        except ClientError as error:
            raise self._failure(_code(error), str(error)) from error
        except BotoCoreError as error:
            raise Retry(f"{self.endpoint} does not answer: {error}") from error

    def _failure(self, code: str, message: str) -> Exception:
        if code in THROTTLED:
            return Retry(f"{self.endpoint} asks for fewer requests ({code})", after=REST)
        if code in REFUSED:
            return ConfigError(f"{self.endpoint} denies access ({code}); check access_key_id and secret_access_key")
        if code == MISSING:
            return ConfigError(f"there is no table {self.name} at {self.endpoint}; create it, or set create_table")
        return Retry(f"{self.endpoint} failed: {message}")


def _client(endpoint: str, region: str, credentials: AccessKeys) -> Any:
    """A client that talks to this endpoint and takes nothing from the environment."""
    try:
        from botocore.config import Config
        from botocore.session import Session
    except ImportError as error:
        raise ConfigError(INSTALL) from error
    return Session(session_vars=_FROM_NOTHING).create_client(
        "dynamodb",
        region_name=region,
        endpoint_url=endpoint,
        aws_access_key_id=credentials.access_key_id,
        aws_secret_access_key=credentials.secret_access_key,
        config=Config(
            connect_timeout=CONNECT_SECONDS,
            read_timeout=READ_SECONDS,
            max_pool_connections=CONCURRENT_REQUESTS,
            retries={"mode": "standard", "total_max_attempts": 3},
            proxies={},
        ),
    )


def _code(error: Any) -> str:
    """The code of an error of the library; empty for another error."""
    return str(getattr(error, "response", {}).get("Error", {}).get("Code", ""))


def definition(name: str, *, project: str) -> dict[str, Any]:
    """The table: PK and SK, six indexes with keys of their own, and payment by request."""
    keys = [("PK", "SK"), *((f"{index}PK", f"{index}SK") for index in INDEXES)]
    return {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": attribute, "AttributeType": "S"} for pair in keys for attribute in pair
        ],
        "KeySchema": _schema(*keys[0]),
        "GlobalSecondaryIndexes": [
            {"IndexName": index, "KeySchema": _schema(*pair), "Projection": {"ProjectionType": "ALL"}}
            for index, pair in zip(INDEXES, keys[1:], strict=True)
        ],
        "Tags": [{"Key": "project", "Value": project}] if project else [],
    }


def _schema(partition: str, sort: str) -> list[dict[str, str]]:
    return [{"AttributeName": partition, "KeyType": "HASH"}, {"AttributeName": sort, "KeyType": "RANGE"}]


def missing_indexes(description: Mapping[str, Any]) -> list[str]:
    existing = {index["IndexName"] for index in description.get("GlobalSecondaryIndexes", ())}
    return [index for index in INDEXES if index not in existing]


# Attribute values


def attributes(content: Mapping[str, Any]) -> dict[str, Any]:
    """An item in the form of the protocol."""
    return {name: _attribute(value) for name, value in content.items()}


def _attribute(value: Any) -> dict[str, Any]:
    match value:
        case str():
            return {"S": value}
        case bool():
            return {"BOOL": value}
        case int() | float():
            return {"N": repr(value)}
        case Mapping():
            return {"M": attributes(value)}
        case Iterable():
            return {"L": [_attribute(each) for each in value]}
    raise TypeError(f"{type(value).__name__} has no attribute type")
