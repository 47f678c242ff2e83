#!/usr/bin/env python3
"""Measures whether session-search keeps secrets out of its index, and leaves harmless look-alikes as they are.

  python3 benches/secrets/run.py target/release/session-search [--show [SPLIT]] [--bare] [--keep FOLDER]

Each item becomes a session of Claude Code in a temporary home folder. The program indexes them, the histories are deleted,
and each session is read back from the index. --show prints the text of every miss and of all damage, or of one split.
--bare switches redaction off: then nearly all must leak, which proves that the bench sees leaks. The exit code is 1 where the
judging split has a recall under 98 % or a false rate over 0.5 %. README.md says what is counted. Standard library only."""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import leaks
import lookalikes
import sessions

MARK = "[redacted:"
LEAST_RECALL, MOST_FALSE = 0.98, 0.005
SPLITS = ["choosing", "judging"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument(
        "--show",
        nargs="?",
        const="both",
        choices=["both", *SPLITS],
        help="print the text of each miss and of all damage",
    )
    parser.add_argument("--bare", action="store_true", help="switch redaction off, to check the bench itself")
    parser.add_argument("--keep", type=pathlib.Path, help="keep the index and the histories in this new folder")
    return parser.parse_args()


class Bench:
    """A program with a home folder and an index of its own."""

    def __init__(self, program, folder, bare):
        self.program, self.folder, self.home = program, folder, folder / "home"
        config = folder / "config"
        for path in (self.home, config):
            path.mkdir(mode=0o700)
        off = "[redaction]\nenabled = false\n" if bare else ""
        (config / "config.toml").write_text('background = false\nmodel = "table"\n' + off)
        self.environment = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(self.home),
            "SESSION_SEARCH_HOME": str(folder / "index"),
            "SESSION_SEARCH_CONFIG": str(config),
            "NO_COLOR": "1",
        }

    def call(self, *words):
        done = subprocess.run(
            [self.program, *words],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        if done.returncode not in (0, 1):
            sys.exit(f"{words[0]} failed: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode(errors="replace")

    def index(self):
        report = json.loads(self.call("index", "--json"))
        if report["files_left"] or report["locked"]:
            sys.exit(f"the index is not complete: {report}")

    def forget_histories(self):
        shutil.move(self.home / ".claude", self.folder / "histories")
        if any(self.home.rglob("*.jsonl")):
            sys.exit("histories are left")

    def shown(self, case):
        return self.call("show", case.session, "--json", "--full")

    def preview(self, query, *options):
        return self.call("search", query, "--json", "--no-refresh", "--limit", "5", *options)

    def bytes_on_disk(self):
        return b"\0".join(path.read_bytes() for path in (self.folder / "index").rglob("*") if path.is_file())


def strings_of(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from strings_of(part)


def readable(output):
    """All texts of a JSON answer, and the answer as it was printed."""
    return "\0".join([*strings_of(json.loads(output)), output]) if output.strip() else ""


def piece_size(secret):
    return min(max(6, (len(secret) + 1) // 2), 40)


def survives(secret, text):
    """Whether the secret is there, or a piece of at least half of it (40 characters are always enough)."""
    size = piece_size(secret)
    return any(secret[at : at + size] in text for at in range(len(secret) - size + 1))


def in_parallel(work, values):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(work, values))


def read_back(bench, made):
    return {
        case: text for case, text in zip(made, in_parallel(lambda case: readable(bench.shown(case)), made), strict=True)
    }


def previewed(bench, case):
    """What search prints of the case: asked for its neighbouring word, at both depths, with the summary of the work."""
    outputs = [bench.preview(case.anchor, "--with", "all", "--depth", depth) for depth in "12"]
    return "\0".join(readable(json.dumps(json.loads(output)["hits"])) for output in outputs)


def findable(bench, case):
    """Whether the word index knows the secret: asked for as a phrase, its session must not be found."""
    phrase = '"' + case.item.secret[:120].replace('"', " ").replace("\n", " ") + '"'
    hits = json.loads(bench.preview(phrase, "--keyword-only"))["hits"]
    return any(hit["session"] == case.session for hit in hits)


def rate(part, whole):
    return f"{100 * part / whole:6.1f} %  {part:5} of {whole}" if whole else "     -"


def table(title, made, good, key):
    groups = collections.defaultdict(list)
    for case in made:
        groups[key(case)].append(case)
    print(f"\n{title}")
    for name in sorted(groups):
        print(f"  {name:24} {rate(sum(case in good for case in groups[name]), len(groups[name]))}")


def by_kind(title, bad, made):
    print(f"\n{title}")
    whole = collections.Counter(case.item.kind for case in made)
    for kind, count in sorted(
        collections.Counter(case.item.kind for case in bad).items(), key=lambda kv: (-kv[1], kv[0])
    ):
        cases = [case for case in bad if case.item.kind == kind]
        contexts = " ".join(sorted({case.item.context for case in cases}))
        print(f"  {kind:28} {count:3} of {whole[kind]:3}  {cases[0].item.split:9} {contexts}")


def show_cases(bad, split):
    for case in bad:
        if split not in ("both", case.item.split):
            continue
        print(
            f"\n--- {case.item.kind}, {case.item.split}, {case.item.context}, {case.position}, {case.session}\n{case.item.text}"
        )


def part_of(made, split):
    return [case for case in made if case.item.split == split]


def counted(made):
    return [case for case in made if case.position in sessions.COUNTED]


def recall(bench, made, texts, show):
    """Prints what survived; returns the recall of the judging split."""
    leaks = {case for case in made if survives(case.item.secret, texts[case])}
    sure = counted(made)
    good = set(sure) - leaks
    table("Recall: secrets gone, by split", sure, good, lambda case: case.item.split)
    for split in SPLITS:
        table(f"Recall by context, {split}", part_of(sure, split), good, lambda case: case.item.context)
    table("Recall by position", sure, good, lambda case: case.position)
    others = [case for case in made if case not in set(sure)]
    table(
        "Gone in other positions (the index keeps a part of them only; not counted)",
        others,
        set(others) - leaks,
        lambda case: case.position,
    )
    by_kind("Kinds with leaks (all positions)", [case for case in made if case in leaks], made)
    elsewhere(bench, made, sure)
    if show:
        show_cases([case for case in made if case in leaks], show)
    judged = part_of(sure, "judging")
    return sum(case in good for case in judged) / len(judged)


def elsewhere(bench, made, sure):
    """Previews and word index of a sample, and the bytes of the index."""
    sample = sure[::4]
    seen = [
        case
        for case, text in zip(sample, in_parallel(lambda case: previewed(bench, case), sample), strict=True)
        if survives(case.item.secret, text)
    ]
    found = [
        case for case, hit in zip(sample, in_parallel(lambda case: findable(bench, case), sample), strict=True) if hit
    ]
    raw = bench.bytes_on_disk()
    kept = [case for case in made if case.item.secret.encode() in raw or case.item.secret.lower().encode() in raw]
    print("\nElsewhere (a sample of the counted; the last of all positions; not counted)")
    for name, bad, whole in [
        ("search previews", seen, sample),
        ("found by the secret", found, sample),
        ("bytes of the index", kept, made),
    ]:
        print(f"  leaks in {name:21} {rate(len(bad), len(whole))}")


def harm(made, texts, show):
    """Prints what was damaged; returns the false rate of the judging split."""
    bad = {case for case in made if MARK in texts[case] or case.item.text.strip() not in texts[case]}
    table("Harmless items unchanged, by split", made, set(made) - bad, lambda case: case.item.split)
    table("Harmless items unchanged, by context", made, set(made) - bad, lambda case: case.item.context)
    by_kind("Kinds with damage", [case for case in made if case in bad], made)
    if show:
        show_cases([case for case in made if case in bad], show)
    judged = part_of(made, "judging")
    return sum(case in bad for case in judged) / len(judged)


def check_indexed(made, texts):
    """A text that is not in the index at all would count as a secret well kept: say so, and fail."""
    lost = [case for case in counted(made) if case.anchor not in texts[case]]
    if lost:
        print(f"\n{len(lost)} texts are not in the index at all, as {lost[0].item.kind} in {lost[0].session}")
    return not lost


def print_counts(name, items):
    kinds = {item.kind for item in items}
    judging = sum(item.split == "judging" for item in items)
    print(f"{name}: {len(items)} items of {len(kinds)} kinds, {judging} for judging")


def measure(bench, show):
    secrets, lookalike = leaks.build(), lookalikes.build()
    print_counts("secrets", secrets)
    print_counts("harmless", lookalike)
    secret = sessions.cases(secrets, sessions.SECRET_ORDER)
    harmless = sessions.cases(lookalike, sessions.COUNTED)
    sessions.write(bench.home, secret + harmless)
    bench.index()
    bench.forget_histories()
    texts = read_back(bench, secret + harmless)
    whole = check_indexed(secret + harmless, texts)
    gone, false = recall(bench, secret, texts, show), harm(harmless, texts, show)
    passed = whole and gone >= LEAST_RECALL and false <= MOST_FALSE
    print(
        f"\nJudging split: recall {100 * gone:.1f} % (at least 98), false {100 * false:.2f} % (at most 0.5): {'passed' if passed else 'FAILED'}"
    )
    return passed


def within(given, folder):
    return 0 if measure(Bench(given.program.resolve(), folder.resolve(), given.bare), given.show) else 1


def main():
    given = arguments()
    if given.keep:
        given.keep.mkdir(mode=0o700)
        return within(given, given.keep)
    with tempfile.TemporaryDirectory(prefix="session-search-secrets-") as folder:
        return within(given, pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(main())
