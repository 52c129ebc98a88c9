import json
import subprocess
import sys

import pytest

LIBRARY = """
import logging
from scoop.cli import runtime
from scoop.config import Config
from scoop.mcp import tools
runtime.set_up_logs(Config(log_format={form!r}))
tools.server(tools.Tools(desk=None))
try:
    1 / 0
except ZeroDivisionError:
    logging.getLogger("library").exception("it failed")
logging.getLogger("library").info("nobody needs this")
"""


def logged(form):
    done = subprocess.run([sys.executable, "-c", LIBRARY.format(form=form)], capture_output=True, text=True, check=True)
    assert done.stdout == ""
    return done.stderr


def test_what_a_library_logs_is_one_json_a_line_like_all_else():
    (line,) = logged("json").splitlines()
    entry = json.loads(line)
    assert (entry["event"], entry["level"]) == ("it failed", "error")
    assert "ZeroDivisionError" in entry["exception"]


@pytest.mark.parametrize("word", ["it failed", "ZeroDivisionError"])
def test_what_a_library_logs_can_be_read_on_a_terminal(word):
    assert word in logged("text")
