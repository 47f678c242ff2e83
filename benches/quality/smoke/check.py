#!/usr/bin/env python3
"""Fails when search answers the smoke sets worse than it should.

  check.py PROGRAM

Standard library only."""

import json
import pathlib
import subprocess
import sys
import tempfile

# Set, kind of question, measure, least value.
FLOORS = [
    ("work", "identifier", "hit@1", 1.0),
    ("work", "paraphrase", "hit@1", 0.5),
    ("work", "paraphrase", "hit@5", 0.65),
    ("languages", "words", "hit@1", 0.9),
]


def main():
    program, here = sys.argv[1], pathlib.Path(__file__).parent
    failed = False
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([sys.executable, here / "make.py", scratch], check=True)
        for name, kind, measure, least in FLOORS:
            command = [program, "eval", f"{scratch}/{name}", "--model", "table", "--level", "session", "--json"]
            reports = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
            value = reports["levels"][0]["categories"][kind][measure]
            failed |= value < least
            print(f"{name:10} {kind:11} {measure}: {value:.3f}, at least {least}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
