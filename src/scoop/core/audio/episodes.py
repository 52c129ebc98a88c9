"""Episodes of a podcast: the recorded lessons of one day, one after the other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from scoop.core.audio import TimedSentence, mp3
from scoop.core.audio.transcripts import EpisodeChapter

GAP_MS = 1_200  # between two lessons


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodePart:
    """A recorded lesson: the key of its MP3, how long it is, and the article it is about."""

    title: str
    url: str | None
    object_key: str
    byte_count: int
    duration_ms: int
    sentences: tuple[TimedSentence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PodcastEpisode:
    """The lessons of a day at one level; `published_at` is when the last of them was recorded."""

    day: date
    published_at: datetime
    parts: Sequence[EpisodePart]
    gap_bytes: int

    @property
    def byte_count(self) -> int:
        return sum(part.byte_count for part in self.parts) + self.gap_bytes * (len(self.parts) - 1)

    @property
    def duration_ms(self) -> int:
        return mp3.duration_ms(self.byte_count)

    def starts(self) -> Iterator[tuple[EpisodePart, int]]:
        """Each part, and when it begins."""
        position = 0
        for part in self.parts:
            yield part, mp3.duration_ms(position)
            position += part.byte_count + self.gap_bytes

    def sentences(self) -> list[TimedSentence]:
        """The sentences of all parts, timed from the beginning of the episode."""
        return [
            replace(sentence, start_ms=start + sentence.start_ms, end_ms=start + sentence.end_ms)
            for part, start in self.starts()
            for sentence in part.sentences
        ]

    def chapters(self) -> list[EpisodeChapter]:
        return [EpisodeChapter(title=part.title, start_ms=start, url=part.url) for part, start in self.starts()]


def join(recordings: Sequence[bytes], gap: bytes) -> bytes:
    """The sound of an episode."""
    return gap.join(recordings)
