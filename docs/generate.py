"""The reference pages, generated from the program itself.

python docs/generate.py             write them
python docs/generate.py --check     exit 1 and name what differs
"""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from generator import commands, item, metrics, plugin_kinds, routes, schema, settings
from scoop.plugin_settings import KINDS

REFERENCE = Path(__file__).parent / "reference"


def pages(schema_page: str) -> dict[Path, str]:
    """Every reference page by its path; `schema_page` is the one that needs a database."""
    text_by_name = {
        "cli": commands.cli_page(),
        "settings": settings.settings_page(),
        "item": item.item_page(),
        "routes": routes.routes_page(),
        "schema": schema_page,
        "metrics": metrics.metrics_page(),
        **{kind.name: plugin_kinds.kind_page(kind) for kind in KINDS},
    }
    return {REFERENCE / f"{name}.md": text for name, text in text_by_name.items()}


def differing(expected: Mapping[Path, str]) -> list[Path]:
    """The pages that are out of date, and those that are generated no longer."""
    changed = [path for path, text in expected.items() if not path.exists() or path.read_text("utf-8") != text]
    return sorted(changed) + sorted(set(REFERENCE.glob("*.md")) - expected.keys())


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the reference pages from the program.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 and name the pages that differ")
    is_check = parser.parse_args().check
    expected = pages(schema.fresh_schema_page())
    outdated = differing(expected)
    for path in outdated:
        print(f"{'differs' if is_check else 'written'}: docs/reference/{path.name}", file=sys.stderr)
    if is_check:
        sys.exit(1 if outdated else 0)
    REFERENCE.mkdir(exist_ok=True)
    for path in outdated:
        if path in expected:
            path.write_text(expected[path], "utf-8")
        else:
            path.unlink()


if __name__ == "__main__":
    main()
