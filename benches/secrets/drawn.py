#!/usr/bin/env python3
"""Measures which part of secrets drawn at random is replaced behind their names.

  cargo build --release -p session-redact --example redact
  python3 benches/secrets/drawn.py target/release/examples/redact [--seed SEED]

run.py has few texts of many kinds; here are many texts of few kinds, in which rare first characters and marks within a
password occur. A secret has survived as in run.py. Rules were made with the seed 3; 41 judges. Standard library only."""

import argparse
import random
import string
import subprocess

import draw
from run import survives

COUNT = 600
SYMBOLS = string.ascii_letters + string.digits + "!@#%^&*-_=+?"
AWS = [
    "aws_secret_access_key = {}",
    "AWS_SECRET_ACCESS_KEY={}",
    'export AWS_SECRET_ACCESS_KEY="{}"',
    '"SecretAccessKey": "{}"',
    "secretAccessKey: {}",
]
PASSWORD = [
    "DB_PASSWORD={}",
    "password: {}",
    '"password": "{}"',
    "password = '{}'",
    "export API_TOKEN={}",
    "PGPASSWORD={} psql",
    "--password {}",
    "https://bob:{}@example.com/",
    "the password is {}",
]
MARKED = ["DB_PASSWORD={}", "password: {}"]


def with_digit(rng, alphabet, count):
    while True:
        found = draw.chars(rng, alphabet, count)
        if any(c.isdigit() for c in found) and any(c.isalpha() for c in found):
            return found


def marked(rng, mark):
    return with_digit(rng, draw.BASE62, 7) + mark + with_digit(rng, draw.BASE62, 8)


def sets(rng):
    """Names of sets with their forms and makers."""
    yield "AWS secret keys", AWS, lambda: draw.chars(rng, draw.BASE64, 40)
    yield "16 characters with symbols", PASSWORD, lambda: with_digit(rng, SYMBOLS, 16)
    yield "20 letters and digits", PASSWORD, lambda: with_digit(rng, draw.BASE62, 20)
    for mark in "&,;_":
        yield f"a {mark} in the middle", MARKED, lambda mark=mark: marked(rng, mark)


def redacted(program, lines):
    done = subprocess.run([program], input="\n".join(lines) + "\n", capture_output=True, check=True, text=True)
    return done.stdout.splitlines()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=41)
    given = parser.parse_args()
    for name, forms, make in sets(random.Random(given.seed)):
        print(name)
        for form in forms:
            secrets = [make() for _ in range(COUNT)]
            lines = redacted(given.program, [form.format(secret) for secret in secrets])
            gone = sum(not survives(secret, line) for secret, line in zip(secrets, lines, strict=True))
            print(f"  {form:36} {100 * gone / COUNT:6.1f} %  {gone} of {COUNT}")


if __name__ == "__main__":
    main()
