"""Counts of several processes: they add up, outlive restarts, and a kill loses only what was not written yet."""

import json
import signal
import subprocess
import sys

from builders import scoop

COUNT = """
import asyncio, sys
from scoop import metrics
from scoop.app import open_database
from scoop.config import Config
from scoop.store import metrics as store

store.FLUSH_SECONDS = 3600.0  # the test decides when

async def main(url, flushed, unflushed):
    async with open_database(Config(database_url=url)) as database:
        metrics.FIRESTORE_READS.add(int(flushed), collection="notified_articles")
        await store.flush(database)
        metrics.FIRESTORE_READS.add(int(unflushed), collection="notified_articles")
        print("counted", flush=True)
        await asyncio.to_thread(sys.stdin.read)

asyncio.run(main(*sys.argv[1:]))
"""


def start_counting(database_url: str, *, flushed: int, unflushed: int) -> subprocess.Popen[str]:
    arguments = [sys.executable, "-c", COUNT, database_url, str(flushed), str(unflushed)]
    return subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def wait_until_counted(process: subprocess.Popen[str]) -> None:
    assert process.stdout
    assert process.stdout.readline() == "counted\n"


def reads(database_url: str) -> float:
    printed = json.loads(scoop("metrics", "--json", database_url=database_url).stdout)
    (sample,) = next(family for family in printed if family["name"] == "firestore_reads_total")["samples"]
    return sample["value"]


def test_counts_of_processes_add_up_and_a_kill_loses_what_was_not_written(database_url):
    first = start_counting(database_url, flushed=1, unflushed=10)
    second = start_counting(database_url, flushed=100, unflushed=1_000)
    wait_until_counted(first)
    wait_until_counted(second)
    assert reads(database_url) == 101

    first.communicate()  # it ends in order, and writes the rest
    second.send_signal(signal.SIGKILL)
    second.communicate()
    assert reads(database_url) == 111

    again = start_counting(database_url, flushed=0, unflushed=5)
    wait_until_counted(again)
    again.communicate()
    assert reads(database_url) == 116

    text = scoop("metrics", database_url=database_url).stdout
    assert 'firestore_reads_total{collection="notified_articles"} 116\n' in text
