"""The output of commands that programs read."""

import io
import json
import sys

from scoop import cli

PIPE_BYTES = 4096


class FullPipe(io.RawIOBase):
    """A pipe that takes a part of what is written, as the kernel's does when a signal arrives."""

    def __init__(self):
        self.taken = b""

    def writable(self):
        return True

    def write(self, data):
        self.taken += bytes(data[:PIPE_BYTES])
        return min(len(data), PIPE_BYTES)


def test_a_reader_gets_all_of_the_output_where_python_does_not_buffer_it(monkeypatch):
    pipe = FullPipe()
    unbuffered = io.TextIOWrapper(pipe, encoding="utf-8", write_through=True)  # as with PYTHONUNBUFFERED
    monkeypatch.setattr(sys, "stdout", unbuffered)
    monkeypatch.setattr(sys, "argv", ["scoop", "prompts", "list", "--json"])
    cli.main()
    assert len(pipe.taken) > PIPE_BYTES
    assert {prompt["prompt_id"] for prompt in json.loads(pipe.taken)} >= {"summary", "translation"}
