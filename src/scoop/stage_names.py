"""The stages by name, in the order of the pipeline, with what each works on.

It lies below `store` and `stages`: the store enqueues work by these names, and the command line reads them without
loading a database driver.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal, Self

SubjectKind = Literal[
    "source", "arrival", "document", "story", "analysis", "brief", "lesson", "topic", "post",
    "webhook delivery", "projection feed",
]  # fmt: skip


class StageName(StrEnum):
    """A stage as the table `work` stores it; `subject` says whose ids its column `subject` holds."""

    subject: SubjectKind

    INGEST = "ingest", "source"
    PAGES = "pages", "arrival"
    NORMALIZE = "normalize", "arrival"
    DEDUP = "dedup", "document"
    EMBED = "embed", "document"
    LINK = "link", "document"
    GROUP = "group", "story"
    INDEX = "index", "document"
    ASSIGN_TOPICS = "assign-topics", "story"
    MENTIONS = "mentions", "document"
    REANALYZE = "reanalyze", "analysis"
    WRITE = "write", "brief"
    SPEAK = "speak", "lesson"
    CURATE = "curate", "topic"
    DIGEST = "digest", "topic"
    PUBLISH = "publish", "post"
    RECONCILE_POSTS = "sweep", "topic"
    DELIVER_WEBHOOKS = "notify", "webhook delivery"
    PROJECT = "project", "projection feed"

    def __new__(cls, name: str, subject: SubjectKind) -> Self:
        member = str.__new__(cls, name)
        member._value_ = name
        member.subject = subject
        return member


SUBJECTS: Mapping[str, SubjectKind] = {name.value: name.subject for name in StageName}
"""What a stored stage works on; a database may hold work of a stage that this version does not know."""

FAILURE_TYPES: Mapping[str, str] = {
    StageName.INGEST: "fetch",
    StageName.PAGES: "fetch",
}
"""The type of the failures of a stage, where it has another name than the stage; texts are typed by their kind."""
