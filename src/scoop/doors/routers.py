"""Routers of guarded routes: one for pages, one for programs."""

from typing import Any

from fastapi import APIRouter

from scoop.doors.rights import Guarded


def for_pages() -> APIRouter:
    return APIRouter(route_class=Guarded, include_in_schema=False)


def for_programs(tag: str, *, prefix: str = "/api/v1", **settings: Any) -> APIRouter:
    """A noun of the API; its tag is the heading it is documented under."""
    return APIRouter(route_class=Guarded, prefix=prefix, tags=[tag], **settings)
