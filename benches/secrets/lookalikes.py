"""Builds harmless items: texts that look as if they held a secret, and must come back unchanged. Call lookalikes.build().

Every second kind belongs to the other split. A kind has templates; a slot [[name]] is drawn anew for each item, and some
items stand in a diff, in JSON, in a log or in the output of a search, as they do in a real history."""

import draw
import harmless_words as words
from draw import Item, base64_bytes, chars, escaped, fill, seeded
from tokens import armour, lines_of

VARIANTS = 32
PUBLIC = "PUBLIC" + " KEY"


def minified(rng):
    names = "abcdefghijklmnopqrstuvwxyz"
    parts = []
    for _ in range(rng.randint(6, 12)):
        a, b, c = rng.sample(names, 3)
        parts.append(
            rng.choice(
                [
                    f"function {a}({b},{c}){{return {b}.token?{c}({b}.token):{a}.key}}",
                    f"var {a}={b}=>{{let {c}={b}.password;return {c}&&{c}.length>7}};",
                    f"{a}.exports={{secret:{b},tokens:{c}.length,keys:Object.keys({a})}};",
                    f"for(const {a} of {b}.keys()){c}.set({a},!0);",
                ]
            )
        )
    return "".join(parts)


def mappings(rng):
    groups = [chars(rng, "ACEGIKMOQSUWYabcdefghi", rng.randint(4, 5)) for _ in range(rng.randint(30, 60))]
    return ",".join(groups[:20]) + ";" + ",".join(groups[20:])


def hex_dump(rng):
    rows = []
    for row in range(rng.randint(3, 6)):
        pairs = " ".join(chars(rng, draw.HEX, 4) for _ in range(8))
        rows.append(f"{row * 16:08x}: {pairs}  {chars(rng, 'abcdefgh.....', 16)}")
    return "\n".join(rows)


def ipv6(rng):
    return ":".join(chars(rng, draw.HEX, 4) for _ in range(8))


def mac(rng):
    return ":".join(chars(rng, draw.HEX, 2) for _ in range(6))


def image(rng):
    return "iVBORw0KGgoAAAANSUhEUgAA" + base64_bytes(rng, rng.randint(60, 300))


def public_block(rng):
    name = rng.choice([PUBLIC, "CERTIFICATE", "CERTIFICATE REQUEST", "RSA " + PUBLIC])
    return armour(name, lines_of("MII" + chars(rng, draw.BASE64, 400) + "IDAQAB", 64))


def pgp_public(rng):
    name = rng.choice(["PGP " + PUBLIC + " BLOCK", "PGP SIGNATURE"])
    return armour(name, lines_of(base64_bytes(rng, 240), 64), "\n\n")


def rsa_public(rng):
    return "AAAAB3NzaC1yc2EAAAADAQABAAABgQ" + chars(rng, draw.BASE64, 340) + "="


def ed_public(rng):
    return "AAAAC3NzaC1lZDI1NTE5AAAAI" + chars(rng, draw.BASE64, 43)


def camel(rng):
    parts = [
        "user",
        "account",
        "password",
        "token",
        "secret",
        "api",
        "access",
        "refresh",
        "request",
        "handler",
        "factory",
        "provider",
        "validator",
    ]
    parts += ["repository", "configuration", "manager", "resolver", "interceptor", "middleware", "credentials"]
    chosen = rng.sample(parts, rng.randint(4, 6))
    return chosen[0] + "".join(part.capitalize() for part in chosen[1:])


MAKERS = {
    "package": "[[package]]",
    "minified": minified,
    "mappings": mappings,
    "dump": hex_dump,
    "ipv6": ipv6,
    "mac": mac,
    "image": image,
    "public": public_block,
    "pgp": pgp_public,
    "rsa": rsa_public,
    "ed": ed_public,
    "Camel": camel,
    "sri512": lambda rng: base64_bytes(rng, 64),
    "sri384": lambda rng: base64_bytes(rng, 48),
    "sri256": lambda rng: base64_bytes(rng, 32),
    "Nix": lambda rng: chars(rng, "0123456789abcdfghijklmnpqrsvwxyz", 32),
    "secs": lambda rng: str(rng.randint(1_700_000_000, 1_790_000_000)),
    "millis": lambda rng: str(rng.randint(1_700_000_000_000, 1_790_000_000_000)),
    "phone": lambda rng: f"+49 {rng.randint(151, 179)} {rng.randint(1000000, 99999999)}",
    "model": lambda rng: rng.choice(words.MODELS),
    "lib": lambda rng: rng.choice(words.LIBRARIES),
    "Var": lambda rng: rng.choice(words.VARIABLES),
    "var": lambda rng: rng.choice(words.VARIABLES).lower(),
    "field": lambda rng: rng.choice(words.FIELDS),
    "de": lambda rng: rng.choice(words.GERMAN),
    "en": lambda rng: rng.choice(words.ENGLISH),
    "bed": lambda rng: rng.choice(words.BEGINNINGS),
    "vorn": lambda rng: rng.choice(words.ANFANG),
}

# context, before, prefix of each line after the first, after, JSON escapes, only for one line
AROUND = [
    ("chat", "In `[[file]]`, line [[nn]], there is this:\n\n", "", "\n\nIs that right?", 0, False),
    ("chat", "So steht es in [[file]] (Zeile [[nn]]):\n\n", "", "", 0, False),
    ("diff", "@@ -[[nn]],4 +[[nn]],5 @@\n return [[word]]\n-old_[[word]]\n+", "+", "\n end", 0, False),
    ("log", "[[file]]:[[nn]]:", "", "", 0, True),
    ("log", "[[time]] DEBUG [[[app]]] ", "", "", 0, True),
    ("json", '{"tool_use_id":"[[word]]-[[nn]]","content":"', "", '","is_error":false}', 1, False),
    ("fence", "Version [[ver]] has:\n\n```\n", "", "\n```\n", 0, False),
    ("trace", '  File "/srv/[[app]]/[[word]].py", line [[nn]], in [[word]]\n    ', "    ", "", 0, True),
]


def around(rng, context, text):
    """The text as it is, or, every second time, within other lines."""
    if rng.random() < 0.5:
        return context, text
    fit = [row for row in AROUND if not (row[5] and "\n" in text)]
    name, before, prefix, after, times, _ = rng.choice(fit)
    text = escaped(text) if times else text
    return name, fill(rng, before) + text.replace("\n", "\n" + prefix) + fill(rng, after)


def kind_items(number, kind, context, templates):
    rng, seen = seeded(kind), {}
    split = ("choosing", "judging")[number % 2]
    for attempt in range(VARIANTS * 40):
        template = templates[attempt % len(templates)]
        name, text = around(rng, context, fill(rng, template, **MAKERS))
        seen.setdefault(text, Item(kind, split, name, text, ""))
        if len(seen) == VARIANTS:
            break
    return list(seen.values())


def build():
    items = []
    for number, row in enumerate(words.KINDS):
        items += kind_items(number, *row)
    return items
