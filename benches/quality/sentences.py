#!/usr/bin/env python3
"""Words remembered from a sentence: where does its session rank?

  sentences.py HOME [--seed 1] [--queries 150] [--model table] [--index DIR --cache DIR] [--program P]

Draws one sentence of the answers of each session of a home, at random, and asks
for five or three of its words (no stop words) in any order, for five of six that
follow each other, for the whole sentence, for five and ten words as they stand, stop
words among them, and for three words of which the longest is mistyped; by default and by words alone.
Prints how many find their session first, among the first five and ten, and the
mean reciprocal rank. HOME is only read. Standard library only."""

import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import tempfile

STOP_WORDS = set(
    "the a an and or of to in on for is are was were be been it its this that with as at by from i you we they not "
    "no so if then than into can will would should have has had do does did but all any only also now let me my your "
    "here there which what when who how more most very just use used using over via per each".split()
)
ASKED = 60


class Program:
    def __init__(self, args, scratch):
        config = pathlib.Path(scratch) / "config"
        config.mkdir()
        (config / "config.toml").write_text(f'model = "{args.model}"\nbackground = false\n')
        self.path = args.program
        self.env = {"HOME": args.home, "PATH": os.environ["PATH"], "SESSION_SEARCH_CONFIG": str(config),
                    "SESSION_SEARCH_HOME": args.index or f"{scratch}/index", "XDG_CACHE_HOME": args.cache or f"{scratch}/cache"}

    def json(self, *arguments):
        done = subprocess.run([self.path, arguments[0], "--json", *arguments[1:]], env=self.env, capture_output=True, text=True)
        return json.loads(done.stdout) if done.stdout else {}

    def rank(self, query, session, *options):
        hits = self.json("search", "--no-refresh", "-n", str(ASKED), *options, "--", query).get("hits", [])
        return next((hit["rank"] for hit in hits if hit["session"] == session), None)


def content_words(sentence):
    words = re.findall(r"[A-Za-z][A-Za-z']{2,}", sentence)
    return [word.lower() for word in words if word.lower() not in STOP_WORDS]


def sentences(program):
    """One sentence of each session, with at least seven content words."""
    for hit in program.json("search", "", "-n", "10000").get("hits", []):
        shown = program.json("show", hit["session"]).get("shown", [])
        texts = [part["text"] for turn in shown for part in turn["parts"] if part["type"] == "text"]
        found = [s for text in texts for s in re.findall(r"[^.!?\n]{40,220}[.!?\n]", text)]
        found = [s for s in found if len(content_words(s)) >= 7]
        if found:
            yield hit["session"], random.choice(found)


def in_order(words):
    start = random.randrange(len(words) - 5)
    some = words[start:start + 6]
    some.pop(random.randrange(1, 5))
    return some


def as_it_stands(sentence, count):
    words = re.findall(r"[A-Za-z']+", sentence)
    start = random.randint(0, max(0, len(words) - count))
    return words[start:start + count]


def mistype(word):
    """Swaps two letters, or leaves out, adds or replaces one; the first stays."""
    at = random.randrange(1, len(word) - 1)
    letter = random.choice("abcdefghijklmnopqrstuvwxyz")
    before, after = word[:at], word[at:]
    return random.choice([before + after[1] + after[0] + after[2:], before + after[1:], before + letter + after, before + letter + after[1:]])


def with_a_slip(words):
    longest = max(words, key=len)
    return [mistype(word) if word == longest else word for word in words]


KINDS = {
    "five words": lambda sentence: random.sample(content_words(sentence), 5),
    "three words": lambda sentence: random.sample(content_words(sentence), 3),
    "five of six in order": lambda sentence: in_order(content_words(sentence)),
    "the sentence": lambda sentence: re.findall(r"[A-Za-z']+", sentence),
    "five words as they stand": lambda sentence: as_it_stands(sentence, 5),
    "ten words as they stand": lambda sentence: as_it_stands(sentence, 10),
    "three words, one mistyped": lambda sentence: with_a_slip(random.sample(content_words(sentence), 3)),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("home")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--queries", type=int, default=150)
    parser.add_argument("--model", default="table")
    parser.add_argument("--index", help="an index to use, which the model has embedded")
    parser.add_argument("--cache", help="the cache folder with the model's files")
    parser.add_argument("--program", default="target/release/session-search")
    args = parser.parse_args()
    random.seed(args.seed)
    with tempfile.TemporaryDirectory() as scratch:
        program = Program(args, scratch)
        program.json("index")
        drawn = sorted(sentences(program))
        random.shuffle(drawn)
        print("| query | n | first, five, ten | MRR | by words alone | MRR |\n| --- | --- | --- | --- | --- | --- |")
        for kind, draw in KINDS.items():
            queries = [(session, " ".join(draw(sentence))) for session, sentence in drawn[:args.queries]]
            row = []
            for options in ([], ["--keyword-only"]):
                ranks = [program.rank(query, session, *options) for session, query in queries]
                within = [sum(1 for rank in ranks if rank and rank <= most) for most in (1, 5, 10)]
                row += [", ".join(map(str, within)), f"{sum(1 / rank for rank in ranks if rank) / len(ranks):.3f}"]
            print(f"| {kind} | {len(queries)} | " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
