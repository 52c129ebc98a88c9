"""Rights of people and their programs: five rights, three roles; and networks that count as one caller."""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Literal, get_args

Role = Literal["reader", "editor", "admin"]
Right = Literal["read", "push", "edit", "metrics", "admin"]
Via = Literal["session", "key", "nobody"]

ROLES: tuple[Role, ...] = get_args(Role)
RIGHTS: tuple[Right, ...] = get_args(Right)
RIGHTS_BY_ROLE: dict[Role, frozenset[Right]] = {
    "reader": frozenset({"read"}),
    "editor": frozenset({"read", "push", "edit", "metrics"}),
    "admin": frozenset(RIGHTS),
}
ABOUT_RIGHTS: dict[Right, str] = {
    "read": "read stories, digests, searches and figures",
    "push": "push items",
    "edit": "change sources, topics and digests, decide on stories, post, retry",
    "metrics": "read the metrics for a monitoring system",
    "admin": "manage people, everybody's keys and settings",
}
IPV6_PREFIX = 64  # providers give a customer at least this much: every address in it may be one attacker's


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """The caller of a request: a person by a session, a program by a person's key, or anonymous.

    `language` is the one in which the person reads summaries (empty: that of the desk).
    """

    rights: frozenset[Right]
    via: Via
    user_id: int | None = None
    name: str = ""
    role: Role | None = None
    language: str = ""

    @property
    def is_known(self) -> bool:
        return self.user_id is not None


def anonymous(*, is_reading_public: bool) -> Visitor:
    return Visitor(rights=frozenset({"read"}) if is_reading_public else frozenset(), via="nobody")


def person(user_id: int, name: str, role: Role, language: str = "") -> Visitor:
    rights = RIGHTS_BY_ROLE[role]
    return Visitor(rights=rights, via="session", user_id=user_id, name=name, role=role, language=language)


def program(user_id: int, name: str, role: Role, scopes: Iterable[str], language: str) -> Visitor:
    """The holder of a key: its scopes, as far as its owner still has those rights."""
    rights = RIGHTS_BY_ROLE[role] & frozenset(scopes)
    return Visitor(rights=rights, via="key", user_id=user_id, name=name, role=role, language=language)


def network(address: str) -> str:
    """The network that limits count an address under: an IPv6 address by its /64, any other as it is."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(IPv6Network((parsed, IPV6_PREFIX), strict=False))
