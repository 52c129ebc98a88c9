"""Context of every newsstand site: the world, the current moment, the posted messages and the calls of models."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from scoop.newsstand import world
from scoop.newsstand.discord.state import Discord
from scoop.newsstand.model_replies import ModelCalls
from scoop.newsstand.world import Edition, World, WorldOutlet


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteContext:
    world: World
    anchor: datetime
    clock: Callable[[], datetime]
    discord: Discord
    models: ModelCalls

    def editions(self) -> list[Edition]:
        """Published editions, newest first."""
        return world.as_of(self.world, anchor=self.anchor, now=self.clock())

    def editions_of(self, outlet: WorldOutlet) -> list[Edition]:
        return [edition for edition in self.editions() if edition.outlet == outlet]
