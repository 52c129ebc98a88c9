"""What people and their programs may do: four rights, three roles that hold them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

Role = Literal["reader", "editor", "admin"]
Right = Literal["read", "push", "edit", "admin"]
Via = Literal["session", "key", "nobody"]

ROLES: tuple[Role, ...] = get_args(Role)
RIGHTS: tuple[Right, ...] = get_args(Right)
RIGHTS_BY_ROLE: dict[Role, frozenset[Right]] = {
    "reader": frozenset({"read"}),
    "editor": frozenset({"read", "push", "edit"}),
    "admin": frozenset(RIGHTS),
}
ABOUT_RIGHTS: dict[Right, str] = {
    "read": "read stories, digests, searches and figures",
    "push": "hand in items",
    "edit": "change sources, topics and digests, decide on stories, post, retry",
    "admin": "manage people, keys of others and settings",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Who asks: a person by their browser, a program by a person's key, or nobody that is known."""

    rights: frozenset[Right]
    via: Via
    user_id: int | None = None
    name: str = ""
    role: Role | None = None

    @property
    def is_known(self) -> bool:
        return self.user_id is not None


def nobody(*, is_reading_public: bool) -> Visitor:
    return Visitor(rights=frozenset({"read"}) if is_reading_public else frozenset(), via="nobody")


def person(user_id: int, name: str, role: Role) -> Visitor:
    return Visitor(rights=RIGHTS_BY_ROLE[role], via="session", user_id=user_id, name=name, role=role)


def program(user_id: int, name: str, role: Role, scopes: Iterable[str]) -> Visitor:
    """A key may do what it was made for, as far as its owner still may."""
    rights = RIGHTS_BY_ROLE[role] & frozenset(scopes)
    return Visitor(rights=rights, via="key", user_id=user_id, name=name, role=role)
