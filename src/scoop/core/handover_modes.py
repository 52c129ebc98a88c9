"""Modes of a handover from an older system, which decide which system posts: a default, and per topic."""

from dataclasses import dataclass
from typing import Protocol

from scoop.model import HandoverMode


class Said(Protocol):
    """Settings of a topic; None means the default."""

    @property
    def mode(self) -> HandoverMode | None: ...
    @property
    def publish_v2(self) -> bool | None: ...
    @property
    def write_raw_ledger(self) -> bool | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Modes:
    """Defaults for all topics: NP_MODE, NP_PUBLISH_V2 and NP_WRITE_RAW_LEDGER."""

    mode: HandoverMode = "prod"
    publish_v2: bool = True
    write_raw_ledger: bool = True

    def of(self, topic: Said) -> "Modes":
        """The effective settings of one topic."""
        return Modes(
            mode=topic.mode or self.mode,
            publish_v2=self.publish_v2 if topic.publish_v2 is None else topic.publish_v2,
            write_raw_ledger=self.write_raw_ledger if topic.write_raw_ledger is None else topic.write_raw_ledger,
        )

    @property
    def posts(self) -> bool:
        """Whether Scoop posts; otherwise the older system does."""
        return self.mode == "prod" and self.publish_v2
