"""Passwords, sessions, API keys and setup codes: creation, hashing and comparison."""

import asyncio
import hashlib
import secrets
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import TypeVar

import argon2

from scoop.errors import UsageError
from scoop.http.errors import Busy

T = TypeVar("T")
KEY_PREFIX = "scoop_"  # so that scanners and people recognise a leaked key
HINT_CHARACTERS = 4
MIN_PASSWORD = 10
MAX_PASSWORD = 1024
CODE_ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # without letters and digits that look alike
CODE_CHARACTERS = 12
HASHERS = 2  # at once; each takes 64 MiB of memory
MAX_HASHING = 16  # running and waiting: at 0.1 s a hash, the last one waits under a second
HASHING_TIMEOUT = timedelta(seconds=5)
BUSY_AFTER = timedelta(seconds=2)

_hasher = argon2.PasswordHasher()
_dummy_hash = _hasher.hash(secrets.token_urlsafe())  # an unknown name takes as long as a wrong password
_threads = ThreadPoolExecutor(HASHERS, thread_name_prefix="passwords")
_hashing = 0


def new_session() -> str:
    return secrets.token_urlsafe(32)


def new_key() -> str:
    return KEY_PREFIX + secrets.token_urlsafe(32)


def new_code() -> str:
    """A code that a person can type: three groups of four."""
    characters = "".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_CHARACTERS))
    return "-".join(characters[start : start + 4] for start in range(0, CODE_CHARACTERS, 4))


def hashed(secret: str) -> bytes:
    """The stored form of a random secret: too long to be guessed, so a fast hash will do."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def hashed_code(code: str) -> bytes:
    """The stored form of a code that a person types, regardless of case and dashes."""
    return hashed("".join(character for character in code.upper() if character in CODE_ALPHABET))


def hint(secret: str) -> str:
    return secret[-HINT_CHARACTERS:]


def check_password(password: str) -> None:
    """UsageError for a password that is easily guessed or too long."""
    if len(password) < MIN_PASSWORD:
        raise UsageError(f"the password must have at least {MIN_PASSWORD} characters")
    if len(password) > MAX_PASSWORD:
        raise UsageError(f"the password must have at most {MAX_PASSWORD:,} characters")
    if len(set(password)) == 1:
        raise UsageError("the password must not repeat one character")


async def hash_password(password: str) -> str:
    check_password(password)
    return await _run(lambda: _hasher.hash(_normalized(password)))


async def is_password(password: str, password_hash: str | None) -> bool:
    """Whether the password is right; takes as long if there is no hash to compare it with."""
    is_match = await _run(lambda: _matches(_normalized(password[:MAX_PASSWORD]), password_hash or _dummy_hash))
    return is_match and password_hash is not None


async def _run(hashing: Callable[[], T]) -> T:
    """Hash in a thread; Busy if too many hashes are waiting."""
    global _hashing  # noqa: PLW0603 - of the process, as the threads are
    if _hashing >= MAX_HASHING:
        raise Busy("too many people are signing in; try again", after=BUSY_AFTER)
    _hashing += 1
    try:
        async with asyncio.timeout(HASHING_TIMEOUT.total_seconds()):
            return await asyncio.get_running_loop().run_in_executor(_threads, hashing)
    except TimeoutError as error:
        raise Busy("too many people are signing in; try again", after=BUSY_AFTER) from error
    finally:
        _hashing -= 1


def _matches(password: bytes, password_hash: str) -> bool:
    try:
        return _hasher.verify(password_hash, password)
    except (argon2.exceptions.VerificationError, argon2.exceptions.InvalidHashError):
        return False


def _normalized(password: str) -> bytes:
    """One encoding for characters that look the same but are composed differently by keyboards."""
    return unicodedata.normalize("NFKC", password).encode("utf-8", "surrogatepass")
