"""``make bench``: how fast labkit is here, each number beside what it is held against.

Times of a busy machine mean little; the ratios hold up better.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from importlib import import_module
from pathlib import Path

PARTS = ("processes", "matching", "app", "fuzz")


def main() -> None:
    """Run the parts that are named, all of them by default."""
    parser = argparse.ArgumentParser(prog="make bench ARGS=")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all when none is named")
    wanted = parser.parse_args().parts or PARTS
    for part in wanted:
        with tempfile.TemporaryDirectory() as folder:
            for line in import_module(f"tests.bench.{part}").lines(Path(folder)):
                sys.stdout.write(line + "\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
