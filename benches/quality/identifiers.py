#!/usr/bin/env python3
"""Identifiers (error codes, flags, file names in what is indexed) and quoted
phrases that one or several sessions of a home hold, asked alone and inside a
sentence: how often is such a session first, and how many of the first hits are?

  identifiers.py HOME [--index DIR] [--most 300]

HOME is only read. Standard library only; builds with cargo."""

import argparse
import os
import pathlib
import subprocess
import tempfile


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("home", type=pathlib.Path)
    parser.add_argument("--index", type=pathlib.Path, help="where the index is kept")
    parser.add_argument("--most", type=int, default=300, help="of each kind")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = (args.index or pathlib.Path(scratch) / "index").resolve()
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "CLAUDE", "OPENCODE"))}
        home = kept | {"HOME": str(args.home.resolve()), "SESSION_SEARCH_HOME": str(root)}
        home |= {name: kept.get(name, str(pathlib.Path.home() / folder))
                 for name, folder in (("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup"))}
        cargo = ["cargo", "run", "-q", "--release", "-p", "session-cli"]
        subprocess.run(cargo + ["--bin", "session-search", "--", "index"], env=home, check=True)
        subprocess.run(cargo + ["--example", "identifiers", "--", str(root), str(args.most)], env=home, check=True)


if __name__ == "__main__":
    main()
