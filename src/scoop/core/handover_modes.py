"""Who posts while a desk moves from an older system: for all topics, unless one says otherwise."""

from dataclasses import dataclass
from typing import Protocol

from scoop.model import HandoverMode


class Said(Protocol):
    """What a topic says of itself; None where it says nothing."""

    @property
    def mode(self) -> HandoverMode | None: ...
    @property
    def publish_v2(self) -> bool | None: ...
    @property
    def write_raw_ledger(self) -> bool | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Modes:
    """What holds for all: NP_MODE, NP_PUBLISH_V2 and NP_WRITE_RAW_LEDGER."""

    mode: HandoverMode = "prod"
    publish_v2: bool = True
    write_raw_ledger: bool = True

    def of(self, topic: Said) -> "Modes":
        """What holds for one topic."""
        return Modes(
            mode=topic.mode or self.mode,
            publish_v2=self.publish_v2 if topic.publish_v2 is None else topic.publish_v2,
            write_raw_ledger=self.write_raw_ledger if topic.write_raw_ledger is None else topic.write_raw_ledger,
        )

    @property
    def posts(self) -> bool:
        """Whether Scoop posts: the older system does everywhere else."""
        return self.mode == "prod" and self.publish_v2
