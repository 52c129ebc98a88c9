"""What programs give us: text, numbers and lists that the database can hold, and where a list goes on."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from scoop.http.pagination import MAX_CURSOR


def storable(value: Any) -> Any:
    """The value, if no text in it, however deep, is one that no database keeps."""
    rest = [value]
    while rest:
        match rest.pop():
            case str(text) if "\0" in text:
                raise ValueError("must not hold the character NUL")
            case str(text):
                text.encode()  # UnicodeEncodeError is a ValueError: half a surrogate pair is no text
            case dict(pairs):
                rest += [*pairs.keys(), *pairs.values()]
            case list(values):
                rest += values
    return value


RecordId = Annotated[int, Field(ge=1, le=2**63 - 1)]
ShortText = Annotated[str, Field(min_length=1, max_length=256), AfterValidator(storable)]
LongText = Annotated[str, Field(max_length=10_000), AfterValidator(storable)]
OptionValues = Annotated[dict[str, Any], Field(max_length=100), AfterValidator(storable)]
AnySlug = Annotated[str, Field(pattern=r"^[a-z0-9_]{1,200}$")]
PageLimit = Annotated[int, Field(ge=1, le=200)]


class RequestModel(BaseModel):
    """A body or a query; what it does not know is refused by name."""

    model_config = ConfigDict(extra="forbid")


class PageParams(RequestModel):
    """Which part of a list is wanted."""

    limit: PageLimit = 50
    cursor: Annotated[str, Field(max_length=MAX_CURSOR)] | None = None
