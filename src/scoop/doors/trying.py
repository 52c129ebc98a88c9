"""Trying a source before it is kept, for whoever asks over HTTP: few at a time, and not for ever."""

import asyncio
from datetime import timedelta

from scoop import app
from scoop.catalogue import Tried
from scoop.core import opml
from scoop.doors.desk import Desk
from scoop.errors import FetchFailed
from scoop.model import SourceSettings

WITHIN = timedelta(seconds=45)  # a site crawl asks several pages, politely


async def tried(desk: Desk, settings: SourceSettings) -> Tried:
    """What a source would bring; FetchFailed, without the secrets of its address, when it gives nothing."""
    try:
        async with asyncio.timeout(WITHIN.total_seconds()), desk.trying:
            return await app.try_source(desk.config, settings, now=desk.clock())
    except TimeoutError as error:
        told = f"{opml.redacted(settings.base_url)} did not answer within {WITHIN.seconds} seconds"
        raise FetchFailed(told, health="timeout") from error
    except FetchFailed as failure:
        told = f"{opml.redacted(str(failure))} ({failure.health.replace('_', ' ')})"
        raise FetchFailed(told, health=failure.health) from None  # which tells the whole address
