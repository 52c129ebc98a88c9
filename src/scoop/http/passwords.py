"""Passwords, sessions, keys and codes: made, hashed and compared here only."""

import asyncio
import hashlib
import secrets
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import argon2

from scoop.errors import UsageError

KEY_PREFIX = "scoop_"  # by which a key that leaked is recognised as one
HINT_CHARACTERS = 4
MIN_PASSWORD = 10
MAX_PASSWORD = 1024
CODE_ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # nothing that looks like something else
CODE_CHARACTERS = 12
HASHERS = 2  # at once; each takes 64 MiB of memory

_hasher = argon2.PasswordHasher()
_nobodys_hash = _hasher.hash(secrets.token_urlsafe())  # so that an unknown name takes as long as a wrong password
_threads = ThreadPoolExecutor(HASHERS, thread_name_prefix="passwords")


def new_session() -> str:
    return secrets.token_urlsafe(32)


def new_key() -> str:
    return KEY_PREFIX + secrets.token_urlsafe(32)


def new_code() -> str:
    """A code that a person can type: three groups of four."""
    signs = "".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_CHARACTERS))
    return "-".join(signs[start : start + 4] for start in range(0, CODE_CHARACTERS, 4))


def hashed(secret: str) -> bytes:
    """What is kept of a secret that is too random to be guessed."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def hashed_code(code: str) -> bytes:
    """The same of a code that a person typed: case and dashes do not count."""
    return hashed("".join(sign for sign in code.upper() if sign in CODE_ALPHABET))


def hint(secret: str) -> str:
    return secret[-HINT_CHARACTERS:]


def check_password(password: str) -> None:
    """UsageError for a password that is too easily guessed, or too long to be one."""
    if len(password) < MIN_PASSWORD:
        raise UsageError(f"the password must have at least {MIN_PASSWORD} characters")
    if len(password) > MAX_PASSWORD:
        raise UsageError(f"the password must have at most {MAX_PASSWORD:,} characters")
    if len(set(password)) == 1:
        raise UsageError("the password must not be one character again and again")


async def hash_password(password: str) -> str:
    check_password(password)
    return await asyncio.get_running_loop().run_in_executor(_threads, _hasher.hash, _spelled(password))


async def is_password(password: str, password_hash: str | None) -> bool:
    """Whether it is the password; takes as long where there is none to compare it with."""
    fits = await asyncio.get_running_loop().run_in_executor(
        _threads, _fits, _spelled(password[:MAX_PASSWORD]), password_hash or _nobodys_hash
    )
    return fits and password_hash is not None


def _fits(password: bytes, password_hash: str) -> bool:
    try:
        return _hasher.verify(password_hash, password)
    except (argon2.exceptions.VerificationError, argon2.exceptions.InvalidHashError):
        return False


def _spelled(password: str) -> bytes:
    """One spelling for what looks the same on every keyboard."""
    return unicodedata.normalize("NFKC", password).encode("utf-8", "surrogatepass")
