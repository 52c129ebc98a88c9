"""The settings of a webhook: names, bounds and checks, for every interface."""

from typing import get_args

from scoop.actions.settings import Setting
from scoop.store.webhooks import DEFAULT_EVENTS, WebhookEvent

MAX_URL = 2_000
MAX_COLLECTION = 128
EVENTS: tuple[WebhookEvent, ...] = get_args(WebhookEvent)

NAME = "^[a-z0-9_]+$"


def _check_printable(text: str) -> None:
    if not text.isprintable():
        raise ValueError("must not have control characters")


SETTINGS = (
    Setting(name="name", about="Its name, of a-z, 0-9 and _.", most=64, pattern=NAME, is_required=True, is_fixed=True),
    Setting(
        name="url",
        about="Receives messages; http or https.",
        most=MAX_URL,
        check=_check_printable,
        is_required=True,
    ),
    Setting(name="secret", about="The name of the signing secret, as desk.", most=100, is_required=True),
    Setting(
        name="events",
        about=f"What it is notified of. Default: {', '.join(DEFAULT_EVENTS)}.",
        type=list[WebhookEvent],
        most=len(EVENTS),
    ),
    Setting(
        name="collection",
        about="Only events and stories of this collection; null is all.",
        most=MAX_COLLECTION,
        check=_check_printable,
    ),
    Setting(name="topic", about="Only events, stories and digests of this topic; null is all.", most=200, pattern=NAME),
    Setting(name="allow_private", about="Whether its host may have a private address.", type=bool),
    Setting(name="enabled", about="Whether it receives messages.", type=bool),
)
