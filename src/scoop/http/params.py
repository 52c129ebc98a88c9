"""Types of request parameters: bounded text, ids, option values and pagination."""

from datetime import date
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from scoop.core.search import YEARS
from scoop.http.pagination import MAX_CURSOR


def storable(value: Any) -> Any:
    """The value; ValueError if any text in it, at any depth, cannot be stored in PostgreSQL."""
    rest = [value]
    while rest:
        match rest.pop():
            case str(text) if "\0" in text:
                raise ValueError("must not contain the NUL character")
            case str(text):
                text.encode()  # UnicodeEncodeError is a ValueError: a lone surrogate is not valid text
            case dict(pairs):
                rest += [*pairs.keys(), *pairs.values()]
            case list(values):
                rest += values
    return value


def in_searchable_years(day: date) -> date:
    if day.year not in YEARS:
        raise ValueError(f"must be in the years {YEARS[0]} to {YEARS[-1]}")
    return day


RecordId = Annotated[int, Field(ge=1, le=2**63 - 1)]
ShortText = Annotated[str, Field(min_length=1, max_length=256), AfterValidator(storable)]
LongText = Annotated[str, Field(max_length=10_000), AfterValidator(storable)]
OptionValues = Annotated[dict[str, Any], Field(max_length=100), AfterValidator(storable)]
AnySlug = Annotated[str, Field(pattern=r"^[a-z0-9_]{1,200}$")]
SearchDay = Annotated[date, AfterValidator(in_searchable_years)]
PageLimit = Annotated[int, Field(ge=1, le=200)]


class RequestModel(BaseModel):
    """A request body or query; unknown fields are errors."""

    model_config = ConfigDict(extra="forbid")


class PageParams(RequestModel):
    """The page of a list to return."""

    limit: PageLimit = 50
    cursor: Annotated[str, Field(max_length=MAX_CURSOR)] | None = None
