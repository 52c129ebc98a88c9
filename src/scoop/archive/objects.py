"""Object storage by URL: raw pages and run logs, in a folder or in an S3-compatible store."""

import asyncio
import gzip
import hashlib
import os
import re
import zlib
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Self
from urllib.parse import parse_qsl, unquote
from uuid import UUID

import msgspec
import obstore
from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError
from obstore.store import LocalStore, ObjectStore, S3Store

from scoop.core import ids
from scoop.errors import ConfigError, NotFound, Retry, ScoopError

if TYPE_CHECKING:
    from obstore.store import S3Credential


MAX_PART = 80  # characters of a part of a key; folders allow 255 bytes, and a checksum and an extension follow
MAX_METADATA = 1800  # characters; S3 allows 2 KB for all metadata of an object
DELETE_BATCH = 1000  # the most that S3 deletes in one request
DEFAULT_REGION = "us-east-1"
CONNECT_TIMEOUT = timedelta(seconds=5)
REQUEST_TIMEOUT = timedelta(minutes=5)  # a month of logs may be large, and the connection slow
RETRY_TIMEOUT = timedelta(seconds=15)  # the queue retries later; an open request would block the worker

_SAFE_PART = re.compile(rf"[a-z0-9_-]{{1,{MAX_PART}}}")
_KEY = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*")
_DAY_OF_KEY = re.compile(r"(?:logs|raw-html/[^/]+)/([0-9]{8})[T/]")  # run logs of older desks begin with it
_RUN_OF_KEY = re.compile(r"logs/([0-9a-f-]{36})\.ndjson")
_BUCKET_URL = re.compile(
    r"s3://(?P<bucket>[A-Za-z0-9._-]{3,63})(?:/(?P<prefix>[A-Za-z0-9_-][A-Za-z0-9_/-]*)?)?(?:\?(?P<query>[^#]*))?"
)
_ENDPOINT = re.compile(r"https?://(?P<host>[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
_ERROR_CODE = re.compile(r"<Code>(\w+)</Code>")
_WRONG_SETTING = frozenset({"PermanentRedirect", "AuthorizationHeaderMalformed", "InvalidBucketName"})


class ArchiveDamaged(ScoopError):
    """An object in the archive does not match its checksum."""

    def __init__(self, key: str) -> None:
        super().__init__(f"{key} in the archive does not match its checksum; restore it from a backup or delete it")
        self.key = key


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A stored object; size and checksum are those of the content before compression."""

    key: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Object:
    data: bytes
    source_url: str | None
    content_type: str
    sha256: str
    stored_at: datetime


class ObjectLabel(msgspec.Struct, frozen=True, kw_only=True):
    """The facts about an object, in ASCII as S3 metadata requires."""

    source_url: str | None
    content_type: str


def raw_html_key(source: str, day: date, article: str) -> str:
    return f"raw-html/{_part(source)}/{day:%Y%m%d}/{_part(article)}.html.gz"


def audio_key(recording_hash: bytes) -> str:
    """The key of a recording, which says what it is made of."""
    return f"audio/{recording_hash.hex()}.mp3"


def log_key(run: UUID) -> str:
    """The key of a run log; the id of the run has its time, so that a listing shows its age."""
    return f"logs/{run}.ndjson"


def prompt_key(subject: str, called_at: datetime) -> str:
    return f"prompts/{_part(subject)}/{_time(called_at)}-prompt.json"


def response_key(subject: str, called_at: datetime) -> str:
    return f"responses/{_part(subject)}/{_time(called_at)}-response.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive(ABC):
    """A store of objects; objects with a key that ends in .gz are compressed."""

    store: ObjectStore
    place: str

    @staticmethod
    def open(url: str, *, credentials: Mapping[str, str], project: str = "") -> "Archive":
        """A folder (a path or file:///…) or s3://bucket/prefix?endpoint=…&region=…; does not connect yet.

        Objects in S3 get the tag `project`, unless it is empty.
        """
        if url.startswith("s3://"):
            return BucketArchive.at(url, credentials, project)
        if "://" in url and not url.startswith("file:///"):
            raise ConfigError("archive_url must be a folder, file:///folder or s3://bucket/prefix")
        return Folder.at(Path(unquote(url.removeprefix("file://")) if url.startswith("file://") else url))

    async def put(self, key: str, data: bytes, *, source_url: str | None, content_type: str) -> Stored:
        """Store an object completely or not at all; it replaces the object of that key."""
        body, sha256 = await asyncio.to_thread(_packed, _checked(key), data)
        label = ObjectLabel(
            source_url=None if source_url is None else _ascii(source_url),
            content_type=_ascii("".join(content_type.split())),
        )
        with self._failures(key):
            await self._write(key, body, sha256, label)
        return Stored(key=key, size=len(data), sha256=sha256)

    async def get(self, key: str) -> Object:
        """An object with a valid checksum; ArchiveDamaged or NotFound otherwise."""
        with self._failures(_checked(key)):
            result = await obstore.get_async(self.store, key)
            body = bytes(await result.bytes_async())
        try:
            data, sha256 = await asyncio.to_thread(_unpacked, key, body)
        except (OSError, EOFError, zlib.error) as error:
            raise ArchiveDamaged(key) from error
        with self._failures(key):
            label = await self._label(key, sha256, result.attributes)
        if label is None:
            raise ArchiveDamaged(key)
        return Object(
            data=data,
            source_url=None if label.source_url is None else _from_ascii(label.source_url),
            content_type=_from_ascii(label.content_type),
            sha256=sha256,
            stored_at=result.meta["last_modified"],
        )

    async def keys(self, prefix: str) -> AsyncIterator[str]:
        """All keys below a prefix of whole parts, as raw-html/tribune."""
        with self._failures(_checked(prefix)):
            async for page in obstore.list(self.store, prefix=prefix):
                for meta in page:
                    yield meta["path"]

    async def delete(self, keys: Sequence[str]) -> None:
        """Delete objects; a missing one is not an error."""
        for start in range(0, len(keys), DELETE_BATCH):
            batch = [_checked(key) for key in keys[start : start + DELETE_BATCH]]
            with self._failures(batch[0]):
                await self._remove(batch)

    async def expire(self, prefix: str, *, older_than: datetime) -> int:
        """Delete the objects with a day in their key that ended before that moment; keys without a day stay."""
        old: list[str] = []
        count = 0
        async for key in self.keys(prefix):
            if is_older(key, older_than):
                old.append(key)
            if len(old) == DELETE_BATCH:
                await self.delete(old)
                count += len(old)
                old.clear()
        await self.delete(old)
        return count + len(old)

    @contextmanager
    def _failures(self, key: str) -> Iterator[None]:
        try:
            yield
        except (BaseError, OSError) as error:
            raise self._failure(key, error) from error

    @abstractmethod
    async def _write(self, key: str, body: bytes, sha256: str, label: ObjectLabel) -> None: ...

    @abstractmethod
    async def _label(self, key: str, sha256: str, attributes: Mapping[str, str]) -> ObjectLabel | None:
        """The label of an object whose content has this checksum; None if it was stored with another."""

    @abstractmethod
    async def _remove(self, keys: Sequence[str]) -> None: ...

    @abstractmethod
    def _failure(self, key: str, error: Exception) -> ScoopError: ...


class Folder(Archive):
    """A folder stores each label in its own file, named by the checksum of the content that it belongs to.

    So a label never belongs to the content of another write, even if a writer dies or two write at the same time.
    """

    @classmethod
    def at(cls, path: Path) -> Self:
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except (OSError, ValueError) as error:
            raise ConfigError(
                f"archive_url is {str(path)!r}, which is not a folder and cannot be created: {error}"
            ) from error
        if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
            raise ConfigError(
                f"archive_url is {str(path)!r}, which cannot be written to; change its owner or the setting"
            )
        return cls(store=LocalStore(path.resolve(), automatic_cleanup=True), place=str(path))

    async def _write(self, key: str, body: bytes, sha256: str, label: ObjectLabel) -> None:
        await obstore.put_async(self.store, _label_key(key, sha256), msgspec.json.encode(label), use_multipart=False)
        await obstore.put_async(self.store, key, body, use_multipart=False)

    async def _label(self, key: str, sha256: str, _attributes: Mapping[str, str]) -> ObjectLabel | None:
        try:
            result = await obstore.get_async(self.store, _label_key(key, sha256))
            return msgspec.json.decode(bytes(await result.bytes_async()), type=ObjectLabel)
        except (FileNotFoundError, msgspec.DecodeError):
            return None

    async def _remove(self, keys: Sequence[str]) -> None:
        labels = {
            label["path"]
            for folder in {key.rpartition("/")[0] for key in keys}
            for label in await obstore.list(self.store, prefix=f".labels/{folder}").collect_async()
        }
        deleted = set(keys)
        for path in (*keys, *(label for label in labels if _key_of_label(label) in deleted)):
            with suppress(FileNotFoundError):
                await obstore.delete_async(self.store, path)

    def _failure(self, key: str, error: Exception) -> ScoopError:
        if isinstance(error, FileNotFoundError):
            return NotFound(f"{key} is not in the archive")
        return Retry(
            f"the archive in {self.place} failed: {_reason(error)}; check free space and permissions of the folder"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketArchive(Archive):
    """A bucket stores labels as metadata of its objects; `project` is a tag of all of them."""

    project: str

    @classmethod
    def at(cls, url: str, credentials: Mapping[str, str], project: str) -> Self:
        match = _BUCKET_URL.fullmatch(url)
        options = dict(parse_qsl(match["query"] or "")) if match else {}
        if not match or options.keys() - {"endpoint", "region"}:
            raise ConfigError(
                "archive_url must look like s3://bucket/prefix?endpoint=https://host:9000&region=eu-central-1"
            )
        if not credentials.get("access_key_id") or not credentials.get("secret_access_key"):
            raise ConfigError("an archive in S3 needs archive_access_key_id and archive_secret_access_key")
        region = options.get("region", DEFAULT_REGION)
        endpoint = options.get("endpoint", f"https://s3.{region}.amazonaws.com").rstrip("/")
        store = _s3_store(match["bucket"], match["prefix"], endpoint, region, credentials)
        return cls(store=store, place=f"bucket {match['bucket']} at {endpoint}", project=project)

    async def _write(self, key: str, body: bytes, sha256: str, label: ObjectLabel) -> None:
        attributes = {"Content-Type": label.content_type, "sha256": sha256}
        if label.source_url is not None:
            attributes["source-url"] = label.source_url
        tags = {"project": self.project} if self.project else None
        await obstore.put_async(self.store, key, body, attributes=attributes, tags=tags, use_multipart=False)

    async def _label(self, _key: str, sha256: str, attributes: Mapping[str, str]) -> ObjectLabel | None:
        if attributes.get("sha256") != sha256:
            return None
        return ObjectLabel(source_url=attributes.get("source-url"), content_type=attributes.get("Content-Type", ""))

    async def _remove(self, keys: Sequence[str]) -> None:
        await obstore.delete_async(self.store, keys)

    def _failure(self, key: str, error: Exception) -> ScoopError:
        match = _ERROR_CODE.search(str(error))
        code = match[1] if match else "no response"
        if code == "NoSuchBucket":
            return ConfigError(f"{self.place} does not exist; create it, or change archive_url")
        if isinstance(error, FileNotFoundError):
            return NotFound(f"{key} is not in the archive")
        if isinstance(error, (PermissionDeniedError, UnauthenticatedError)):
            return ConfigError(
                f"{self.place} denies access ({code}); check archive_access_key_id and archive_secret_access_key, "
                "and that they may list, read, write and delete"
            )
        if code in _WRONG_SETTING:
            return ConfigError(f"{self.place} is in another region or has another name ({code}); change archive_url")
        return Retry(f"{self.place} failed ({code}): {_reason(error)}; check endpoint in archive_url")


def _s3_store(bucket: str, prefix: str | None, endpoint: str, region: str, credentials: Mapping[str, str]) -> S3Store:
    """A client that ignores the environment, from which the library would take keys, address and proxy."""
    match = _ENDPOINT.fullmatch(endpoint)
    if not match:
        raise ConfigError("the endpoint in archive_url must look like https://host:9000")

    def current() -> "S3Credential":
        return {
            "access_key_id": credentials["access_key_id"],
            "secret_access_key": credentials["secret_access_key"],
            "token": credentials.get("session_token"),
            "expires_at": None,
        }

    return S3Store(
        bucket,
        prefix=prefix,
        config={
            "endpoint": endpoint,
            "aws_endpoint_url_s3": endpoint,
            "region": region,
            "virtual_hosted_style_request": False,
            "skip_signature": False,
            "unsigned_payload": False,
            "request_payer": False,
        },
        client_options={
            "allow_http": endpoint.startswith("http://"),
            "connect_timeout": CONNECT_TIMEOUT,
            "timeout": REQUEST_TIMEOUT,
            "proxy_url": endpoint,
            "proxy_excludes": match["host"].strip("[]"),
        },
        retry_config={"max_retries": 2, "retry_timeout": RETRY_TIMEOUT},
        credential_provider=current,
    )


def _packed(key: str, data: bytes) -> tuple[bytes, str]:
    return gzip.compress(data, mtime=0) if key.endswith(".gz") else data, hashlib.sha256(data).hexdigest()


def _unpacked(key: str, body: bytes) -> tuple[bytes, str]:
    data = gzip.decompress(body) if key.endswith(".gz") else body
    return data, hashlib.sha256(data).hexdigest()


def _part(text: str) -> str:
    """One part of a key: unchanged if it is safe, else its safe characters and a checksum of the whole."""
    if _SAFE_PART.fullmatch(text):
        return text
    stem = re.sub(r"[^a-z0-9_-]+", "-", text[:MAX_PART].lower()) or "-"
    return f"{stem}.{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _time(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%S.%fZ}"


def _label_key(key: str, sha256: str) -> str:
    return f".labels/{key}.{sha256}.json"


def _key_of_label(label_key: str) -> str:
    return label_key.removeprefix(".labels/").removesuffix(".json").rpartition(".")[0]


def _checked(key: str) -> str:
    if not _KEY.fullmatch(key):
        raise ValueError(f"{key!r} is not a key; create it with a function such as raw_html_key")
    return key


def day(key: str) -> str:
    """The day in a key, as 20261116; empty if it has none."""
    if match := _DAY_OF_KEY.match(key):
        return match[1]
    name = _RUN_OF_KEY.fullmatch(key)
    run = ids.parse_uuid(name[1]) if name else None
    started_at = ids.time_of_uuid(run) if run else None
    return f"{started_at:%Y%m%d}" if started_at else ""


def is_older(key: str, moment: datetime) -> bool:
    """Whether a key has a day that ended before that moment."""
    return "" < day(key) < f"{moment.astimezone(UTC):%Y%m%d}"


def _ascii(text: str) -> str:
    """A text as a header value: signatures collapse spaces, and the length is limited."""
    return text.encode("unicode_escape").decode("ascii").replace(" ", "\\x20")[:MAX_METADATA]


def _from_ascii(text: str) -> str:
    return text.encode("ascii", "replace").decode("unicode_escape", "ignore")


def _reason(error: Exception) -> str:
    """The first line of the error of the library, without the page of the server."""
    return str(error).partition("\n")[0].partition(": <")[0].strip()
