"""Secrets that are revealed only for the address they belong to."""

import hashlib
import hmac
from collections.abc import Callable

import can_ada

from scoop.errors import FetchFailed


class SecretWithheld(FetchFailed):
    """A secret was about to be sent to a host it does not belong to."""

    def __init__(self, name: str, url: str) -> None:
        super().__init__(f"{name} is not sent to {origin(url)}: it belongs to another host", health="refused_address")


class Secret:
    """A key, token or password, with the origins (scheme, host, port) it may be sent to.

    Every plugin gets its secrets in this form. There is no way to read the value without naming the address it is for,
    so an address that somebody else chose gets none.
    """

    __slots__ = ("_origins", "_value", "name")

    def __init__(self, value: str, *, name: str = "a secret", origins: frozenset[str] = frozenset()) -> None:
        self._value = value.strip()
        self._origins = origins
        self.name = name

    @property
    def is_usable(self) -> bool:
        """Whether it is one line of printable text."""
        return bool(self._value) and self._value.isprintable()

    def bound_to(self, *urls: str) -> "Secret":
        """The same secret for the hosts of these addresses."""
        return Secret(self._value, name=self.name, origins=frozenset(map(origin, urls)))

    def for_url(self, url: str) -> str:
        """The value, to be sent to this address; SecretWithheld where the secret belongs to another host."""
        if origin(url) not in self._origins:
            raise SecretWithheld(self.name, url)
        return self._value

    def own_address(self) -> str:
        """The value of a secret that is itself an address, to be sent to its own host; ValueError for any other."""
        if not self._value.startswith("https://"):
            raise ValueError(f"{self.name} is not an https address")
        return self._value

    def sign(self, content: bytes, *, key: Callable[[str], bytes] = str.encode) -> bytes:
        """The HMAC-SHA256 of the content; `key` turns the value into bytes."""
        return hmac.digest(key(self._value), content, hashlib.sha256)

    def __repr__(self) -> str:
        return f"<{self.name}>"


def origin(url: str) -> str:
    """Scheme, host and port of an address."""
    parsed = can_ada.parse(url)
    return f"{parsed.protocol}//{parsed.host}"
