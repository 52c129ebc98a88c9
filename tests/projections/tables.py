"""A desk whose data is projected to a table of a DynamoDB server on the loopback address."""

from dataclasses import dataclass
from itertools import count
from typing import Any

import boto3
from boto3.dynamodb.conditions import Key

from projections.synchronised import Synchronised
from scoop.core.secrets import Secret
from scoop.projections.dynamodb import DynamoDB
from scoop.store.db import Database

REGION = "eu-central-1"
numbers = count()


def a_projection(endpoint: str, **options: Any) -> DynamoDB:
    values = {
        "table": f"summanow-{next(numbers)}",
        "region": REGION,
        "base_url": endpoint,
        "create_table": True,
        "access_key_id": Secret("a-key"),
        "secret_access_key": Secret("a-secret"),
    }
    return DynamoDB(DynamoDB.Options(**(values | options)))


def resource(endpoint: str) -> Any:
    """The vendor's client."""
    return boto3.resource(
        "dynamodb",
        endpoint_url=endpoint,
        region_name=REGION,
        aws_access_key_id="a-key",
        aws_secret_access_key="a-secret",
    )


@dataclass
class ProjectedDesk(Synchronised):
    database: Database
    endpoint: str
    projection: DynamoDB

    @property
    def table(self) -> Any:
        return resource(self.endpoint).Table(self.projection.target.split()[1])

    def query(self, partition: str, prefix: str = "", *, index: str | None = None, **more: Any) -> list[dict[str, Any]]:
        """Items of a partition of the table or of an index, in the order of the sort key."""
        keys = (f"{index}PK", f"{index}SK") if index else ("PK", "SK")
        condition = Key(keys[0]).eq(partition)
        if prefix:
            condition &= Key(keys[1]).begins_with(prefix)
        named = {"IndexName": index} if index else {}
        return self.table.query(KeyConditionExpression=condition, **named, **more)["Items"]

    def items(self) -> dict[tuple[str, str], dict[str, Any]]:
        """All items of the table by their keys."""
        pages = self.table.meta.client.get_paginator("scan").paginate(TableName=self.table.name)
        found = [item for page in pages for item in page["Items"]]
        return {(item["PK"], item["SK"]): item for item in found}
