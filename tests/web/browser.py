"""A person at a browser: Chromium on pages of a real server, with an ear for whatever the browser complains of."""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import (
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Locator,
    Page,
    Playwright,
    Request,
    async_playwright,
    expect,
)

from scoop.store.db import Database
from web.visitor import Visitor, visiting

PATIENCE_MS = 30_000  # a busy machine is slow without a defect of a page
PHONE, DESK = 390, 1440
NAMES = ("chromium", "chromium-browser", "google-chrome")
WANTED = "browser tests need Chromium: install it (apt-get install chromium), or name it in SCOOP_CHROMIUM"

expect.set_options(timeout=PATIENCE_MS)


@dataclass(frozen=True, kw_only=True)
class Tab:
    """A tab of a browser; `complaints` are its errors, refusals by the content security policy and dialogs."""

    visitor: Visitor
    page: Page
    complaints: list[str] = field(default_factory=list)

    async def open(self, path: str) -> None:
        await self.page.goto(f"{self.visitor.address}{path}")

    async def follow(self, link: Locator) -> None:
        """Click a link and wait until the next page and its scripts are loaded."""
        async with self.page.expect_navigation():
            await link.click()

    async def press(self, key: str) -> None:
        """Press a key once the scripts of the page that is shown are loaded."""
        await self.page.wait_for_load_state("load")
        await self.page.keyboard.press(key)

    @property
    def path(self) -> str:
        """Where the tab is, without the address of the server."""
        return self.page.url.removeprefix(self.visitor.address)

    async def axe(self) -> list[str]:
        """What keeps people out who see or point less well, as far as it is serious."""
        found = await Axe().run(self.page)
        return [
            f"{each['id']} ({each['impact']}): {', '.join(str(node['target']) for node in each['nodes'])}"
            for each in found.response["violations"]
            if each["impact"] in {"serious", "critical"}
        ]

    async def is_too_wide(self) -> bool:
        """Whether the page must be scrolled sideways."""
        wide: bool = await self.page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
        return wide


@asynccontextmanager
async def browsing(
    database: Database, *, width: int = DESK, scheme: Literal["light", "dark"] = "light", **visit: Any
) -> AsyncIterator[Tab]:
    """A tab of a person who is signed in as `visiting` says; when they leave, nothing may have been complained of.

    What a test expects to be complained of, such as a page that is not there, it takes out of `complaints`.
    """
    async with visiting(database, **visit) as visitor, async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium(playwright),
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
            timeout=PATIENCE_MS,
        )
        try:
            context = await browser.new_context(
                viewport={"width": width, "height": 900}, color_scheme=scheme, timezone_id="Asia/Tokyo", locale="en-GB"
            )
            context.set_default_timeout(PATIENCE_MS)
            await _sign_in(context, visitor)
            tab = Tab(visitor=visitor, page=await context.new_page())
            _listen(tab)
            yield tab
        finally:
            await browser.close()
    assert not tab.complaints, tab.complaints


async def _sign_in(context: BrowserContext, visitor: Visitor) -> None:
    await context.add_cookies(
        [{"name": each.key, "value": each.value, "url": visitor.address} for each in visitor.session.cookie_jar]
    )


def _listen(tab: Tab) -> None:
    async def close(dialog: Dialog) -> None:
        tab.complaints.append(f"a dialog said {dialog.message!r}")
        await dialog.dismiss()

    def hear(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:  # refusals by the policy are among them
            tab.complaints.append(message.text)

    def look(request: Request) -> None:
        if not request.url.startswith((tab.visitor.address, "data:", "about:")):
            tab.complaints.append(f"it asked for {request.url}")

    tab.page.on("console", hear)
    tab.page.on("pageerror", lambda error: tab.complaints.append(str(error)))
    tab.page.on("dialog", close)
    tab.page.on("request", look)


def chromium(playwright: Playwright) -> str:
    """The Chromium that is there; where there is none it is installed: as root by the system, else for the user."""
    with (Path(tempfile.gettempdir()) / f"scoop-test-chromium-{os.geteuid()}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one process installs, the others wait for it
        found, ways = _installed(playwright), _ways_to_install()
        while found is None and (command := next(ways, None)):
            subprocess.run(command, check=False)
            found = _installed(playwright)
    if found is None:
        pytest.exit(WANTED, returncode=1)
    return found


def _ways_to_install() -> Iterator[list[str]]:
    if os.geteuid() == 0 and shutil.which("apt-get"):
        yield ["apt-get", "update"]
        yield ["apt-get", "install", "--yes", "chromium"]
    yield [sys.executable, "-m", "playwright", "install", "chromium"]


def _installed(playwright: Playwright) -> str | None:
    named = os.environ.get("SCOOP_CHROMIUM")
    candidates: Sequence[str | None] = (named, *map(shutil.which, NAMES), playwright.chromium.executable_path)
    return next((path for path in candidates if path and Path(path).exists()), None)
