"""Transcripts of recordings as WebVTT, and chapters of episodes as podcasts have them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from scoop.core.audio import TimedSentence

VTT_TYPE = "text/vtt"
CHAPTERS_TYPE = "application/json+chapters"


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeChapter:
    """A part of an episode; `url` is the article it is about."""

    title: str
    start_ms: int
    url: str | None = None


def web_vtt(sentences: Iterable[TimedSentence]) -> str:
    """The sentences as a WebVTT file, each in a cue."""
    cues = [
        f"{number}\n{_clock(each.start_ms)} --> {_clock(each.end_ms)}\n{_cue_text(each.text)}\n"
        for number, each in enumerate(sentences, 1)
    ]
    return "\n".join(["WEBVTT\n", *cues])


def _clock(milliseconds: int) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{rest:03}"


def _cue_text(text: str) -> str:
    """A text on one line, with the characters that mean something in WebVTT escaped."""
    return " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def chapters(parts: Sequence[EpisodeChapter]) -> dict[str, Any]:
    """The chapters in the format of the podcast namespace, version 1.2."""
    return {
        "version": "1.2.0",
        "chapters": [
            {"startTime": part.start_ms / 1000, "title": part.title} | ({"url": part.url} if part.url else {})
            for part in parts
        ],
    }
