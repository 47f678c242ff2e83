"""Draws random parts of bench texts: keys, passwords, names, digests. Used by leaks.py and lookalikes.py.

Everything comes from a seeded random.Random, so that each run builds the same items. No text in this folder looks like
a secret: prefixes are joined from parts, and bodies are drawn. Standard library only."""

import base64
import binascii
import json
import random
import re
import string
import uuid
import zlib
from dataclasses import dataclass

HEX = "0123456789abcdef"
BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
BASE64 = string.ascii_letters + string.digits + "+/"
URL64 = string.ascii_letters + string.digits + "-_"
UPPER = string.ascii_uppercase + string.digits
LOWER = string.ascii_lowercase + string.digits

WORDS = [
    "horse",
    "dragon",
    "kaffee",
    "lampe",
    "tiger",
    "hunter",
    "bergsee",
    "falcon",
    "winter",
    "sommer",
    "herbst",
    "garden",
    "rocket",
    "pepper",
    "maple",
    "otter",
    "copper",
    "velvet",
    "marble",
    "banana",
    "castle",
    "nordwind",
    "schnee",
    "apfel",
    "zebra",
    "cactus",
    "panther",
    "mango",
    "violet",
    "anchor",
]
NAMES = ["Lena", "Paul", "Mira", "Jonas", "Emma", "Felix", "Clara", "Oskar", "Nina", "Anton"]
USERS = [
    "ann",
    "deploy",
    "app",
    "svc_report",
    "billing",
    "ci",
    "root",
    "backend",
    "jenkins",
    "etl_user",
    "readonly",
    "admin",
]
APPS = [
    "shop",
    "billing",
    "gateway",
    "ledger",
    "mailer",
    "crawler",
    "inventory",
    "reports",
    "scheduler",
    "portal",
    "checkout",
    "auth-proxy",
]
DOMAINS = ["example.com", "acme.io", "shop.internal", "lumen.dev", "northwind.org", "corp.local"]
FILES = [
    "config/settings.py",
    "deploy/values.yaml",
    "src/client.ts",
    "cmd/main.go",
    "scripts/release.sh",
    "app/db.py",
    "src/lib.rs",
]
BRANCHES = ["main", "develop", "feature/login", "fix/retry", "release/2.4"]


@dataclass(frozen=True)
class Item:
    kind: str
    split: str
    context: str
    text: str
    secret: str


def seeded(name):
    return random.Random(zlib.crc32(name.encode()))


def chars(rng, alphabet, count):
    return "".join(rng.choice(alphabet) for _ in range(count))


def base64_bytes(rng, count):
    return base64.b64encode(rng.randbytes(count)).decode()


def url_json(value):
    raw = json.dumps(value, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def base62_number(value, width):
    digits = ""
    while value:
        value, rest = divmod(value, 62)
        digits = BASE62[rest] + digits
    return digits.rjust(width, "0")


def with_crc(prefix, body):
    """Six characters of CRC32 in base 62 end the tokens of GitHub and npm."""
    return prefix + body + base62_number(binascii.crc32(body.encode()), 6)


def new_uuid(rng):
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def jwt(rng):
    head = {"alg": rng.choice(["HS256", "RS256", "ES256"]), "typ": "JWT"}
    began = rng.randint(1_760_000_000, 1_790_000_000)
    body = {"sub": str(rng.randint(1000, 999999)), "iss": rng.choice(DOMAINS), "iat": began, "exp": began + 3600}
    return ".".join([url_json(head), url_json(body), chars(rng, URL64, 43)])


def mixed(rng, count):
    """A body of letters and digits, at least one of each sort."""
    while True:
        found = chars(rng, BASE62, count)
        if all(any(test(c) for c in found) for test in (str.isdigit, str.isupper, str.islower)):
            return found


def leet(word):
    return word.translate(str.maketrans("aeo", "430")).capitalize()


def human(rng, marks="!-_.+"):
    """A password as people choose one: words, years, a mark; 8 to 20 characters, a digit at least."""
    word, other, mark = rng.choice(WORDS), rng.choice(WORDS), rng.choice(marks)
    number, year = str(rng.randint(2, 99)), str(rng.randint(1987, 2026))
    found = rng.choice(
        [
            leet(word) + mark + number + "-" + other,
            word + number + "-" + rng.choice(["prod", "stage", "live", "team"]) + mark,
            word.capitalize() + year + mark,
            word + mark + other + number,
            rng.choice(NAMES) + mark + rng.choice(NAMES) + year,
            other.capitalize() + mark + leet(word) + number,
            word + year + mark + mark,
            word.capitalize() + number[0],
            word.capitalize() + number[0] + other,
        ]
    )
    return found if 8 <= len(found) <= 20 and any(c.isdigit() for c in found) else human(rng, marks)


def strong(rng, marks="!#%*+-_.?^"):
    """A password as a generator makes one."""
    found = list(mixed(rng, rng.randint(14, 22)))
    for place in rng.sample(range(2, len(found)), 2):
        found[place] = rng.choice(marks)
    return "".join(found)


def password(rng):
    return human(rng) if rng.random() < 0.65 else strong(rng, "!+-_.")


def wild_password(rng):
    return human(rng, "!@#%^&*?+=") if rng.random() < 0.65 else strong(rng)


def time_of(rng):
    return f"2026-0{rng.randint(1, 9)}-{rng.randint(10, 28)}T{rng.randint(10, 23)}:{rng.randint(10, 59)}:{rng.randint(10, 59)}Z"


def one_of(values):
    return lambda rng: rng.choice(values)


SLOTS = {
    "user": one_of(USERS),
    "app": one_of(APPS),
    "word": one_of(WORDS),
    "name": one_of(NAMES),
    "domain": one_of(DOMAINS),
    "host": lambda rng: rng.choice(["db", "cache", "api", "git", "mq", "files"]) + "." + rng.choice(DOMAINS),
    "file": one_of(FILES),
    "branch": one_of(BRANCHES),
    "uuid": new_uuid,
    "time": time_of,
    "n": lambda rng: str(rng.randint(2, 98)),
    "nn": lambda rng: str(rng.randint(100, 9999)),
    "port": lambda rng: str(rng.choice([3000, 3306, 5432, 5672, 6379, 8080, 8443, 9200])),
    "ip": lambda rng: f"10.{rng.randint(0, 99)}.{rng.randint(0, 255)}.{rng.randint(2, 250)}",
    "ver": lambda rng: f"{rng.randint(0, 9)}.{rng.randint(0, 30)}.{rng.randint(0, 12)}",
    "ulid": lambda rng: "01" + rng.choice("HJK") + chars(rng, "0123456789ABCDEFGHJKMNPQRSTVWXYZ", 23),
}
SIZED = {
    "hex": HEX,
    "b": BASE62,
    "b64x": BASE64,
    "u": URL64,
    "up": UPPER,
    "dig": string.digits,
    "low": "bcdfghjklmnpqrstvwxz2456789",
}


def slot(rng, name):
    if name in SLOTS:
        return SLOTS[name](rng)
    sort, size = re.fullmatch(r"(\w+?)_(\d+)", name).groups()
    return chars(rng, SIZED[sort], int(size))


def fill(rng, template, **given):
    """Replaces [[name]] by what is given (a text or a maker), else by what a slot of that name draws, each time anew."""

    def value(match):
        found = given.get(match[1]) or slot(rng, match[1])
        return found(rng) if callable(found) else found

    return re.sub(r"\[\[(\w+)\]\]", value, template)


def escaped(text):
    return json.dumps(text, ensure_ascii=False)[1:-1]
