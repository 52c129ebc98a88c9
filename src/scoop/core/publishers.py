"""The publisher family of a host: the newsroom that counts as one independent voice."""

import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from publicsuffixlist import PublicSuffixList

from scoop.core import display_names

CACHED_HOSTS = 16_384


class _Register(NamedTuple):
    family_by_domain: dict[str, str]
    platforms: frozenset[str]
    names: dict[str, str]


@lru_cache(maxsize=CACHED_HOSTS)
def publisher_family(host: str | None, source: str) -> str:
    """The newsroom of a host: its name, else its registrable domain; the source if there is no host."""
    host = (host or "").lower().rstrip(".")
    if not host:
        return source
    if _is_address(host):
        return host
    domain = registrable_domain(host)
    return _family(host, domain) or _author(host, domain)


def family_name(family: str) -> str:
    """The name of a publisher family before a source names it; a family without a host is the slug of a source."""
    return known_name(family) or display_names.outlet_name(family, None)


def known_name(family: str) -> str | None:
    """The name of a publisher family in the register."""
    return _register().names.get(family)


def host_name(host: str) -> str:
    """The name of the publisher of a host."""
    return family_name(publisher_family(host, host))


def _is_address(host: str) -> bool:
    return host.startswith("[") or host.rpartition(".")[2].isdecimal()


def registrable_domain(host: str) -> str:
    """The part of a host that somebody registered, as example.co.uk of news.example.co.uk."""
    return str(_suffixes().privatesuffix(host) or host)


def _family(host: str, domain: str) -> str | None:
    family_by_domain = _register().family_by_domain
    while host.endswith(domain):
        if host in family_by_domain:
            return family_by_domain[host]
        host = host.partition(".")[2]
    return None


def _author(host: str, domain: str) -> str:
    """The author's own host on a platform with many authors, else the domain."""
    if domain not in _register().platforms or host in {domain, f"www.{domain}"}:
        return domain
    name = host.removesuffix(f".{domain}").rpartition(".")[2]
    return f"{name}.{domain}"


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


@cache
def _register() -> _Register:
    text = files(__package__).joinpath("publisher_families.toml").read_text("utf-8")
    register = tomllib.loads(text)
    family_by_domain = {domain: family for family, domains in register["families"].items() for domain in domains}
    return _Register(family_by_domain, frozenset(register["platforms"]), register["names"])
