"""List the functions, classes, methods, imports and constants that src, bench and docs do not use; exit 1 if any.

Uses in tests do not count. Fields and local variables are not checked: dataclasses, pydantic and SQL rows set them.
Names in ignore_names of [tool.vulture] in pyproject.toml are used by a library.
"""

import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import jinja2
from vulture import Vulture

from scoop import plugins
from scoop.plugin_settings import KINDS

PROJECT = Path(__file__).parents[1]


def main() -> None:
    settings = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["tool"]["vulture"]
    report = Vulture(ignore_names=settings["ignore_names"], ignore_decorators=settings["ignore_decorators"])
    report.scavenge([PROJECT / path for path in settings["paths"]])
    report.used_names |= {*names_in_templates(), *names_of_plugins()}
    unused = [item for item in report.get_unused_code(min_confidence=60) if is_checked(item.typ, item.name)]
    for item in unused:
        place = f"{item.filename.relative_to(PROJECT)}:{item.first_lineno}"
        print(f"{place}: unused {item.typ} {item.name}", file=sys.stderr)
    sys.exit(1 if unused else 0)


def is_checked(kind: str, name: str) -> bool:
    return name[0].isupper() if kind == "variable" else kind != "attribute"


def names_in_templates() -> Iterator[str]:
    for path in (PROJECT / "src").rglob("*.html"):
        for _, kind, word in jinja2.Environment().lex(path.read_text("utf-8")):
            if kind == "name":
                yield word


def names_of_plugins() -> Iterator[str]:
    """Plugins are found by walking their packages, and the protocol of a kind by its name."""
    for kind in KINDS:
        yield kind.protocol
        yield from (plugin.__name__ for plugin in plugins.discover(import_module(kind.package)).values())


if __name__ == "__main__":
    main()
