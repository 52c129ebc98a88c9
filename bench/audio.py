"""How fast the default voice speaks and recordings are made, and what its process takes. Run: python bench/audio.py

Prints one JSON line per figure. The real-time factor is seconds of processor time for a second of sound.
"""

import json
import resource
import time

from scoop.core.audio import mp3, recordings
from scoop.core.audio.pace import NORMAL
from scoop.voices import hibari

LESSONS = 5
LESSON = (
    "The city council of Ostburg decided on Monday to close the old bridge for two years.",
    "Engineers found cracks in 14 of its 96 cables last winter.",
    "The repair will cost $3.2 million, and the state will pay most of it.",
    "Dr. Lena Smith, who leads the work, said that safety comes first.",
    "About 21,000 cars cross the river there every day.",
    "From 1 March, buses will run every ten minutes over the northern bridge.",
    "Shops near the river fear that they will lose customers.",
    "The mayor promised to visit them before the end of the month.",
)


def main() -> None:
    began = time.process_time()
    hibari.speak_sentences(LESSON[:1], 1.0)
    figure("voice loaded", seconds=time.process_time() - began)
    began = time.process_time()
    spoken = [hibari.speak_sentences(LESSON, NORMAL.speed) for _ in range(LESSONS)]
    spoke = time.process_time() - began
    began = time.process_time()
    made = [recordings.record(LESSON, sentences, NORMAL) for sentences in spoken]
    recorded = time.process_time() - began
    seconds = sum(recording.duration_ms for recording in made) / 1000
    figure("real-time factor of speaking", factor=spoke / seconds)
    figure("real-time factor of loudness and MP3", factor=recorded / seconds)
    figure("real-time factor", factor=(spoke + recorded) / seconds, limit=0.05)
    figure("memory of the process", megabytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    figure("size of a minute", kilobytes=60_000 / mp3.duration_ms(mp3.FRAME_BYTES * 1000) * mp3.FRAME_BYTES)


def figure(name: str, **values: float) -> None:
    print(json.dumps({"figure": name} | {key: round(value, 4) for key, value in values.items()}), flush=True)


if __name__ == "__main__":
    main()
