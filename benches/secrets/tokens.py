"""Makes keys of known vendors, one function a format. Used by leaks.py.

Formats are those that the vendors describe, or that public secret scanners name: prefix, alphabet, length, and the
checksum where there is one. A prefix stands in parts so that no scanner takes this file for a leak."""

import base64
import zlib

from draw import BASE62, BASE64, HEX, UPPER, URL64, base64_bytes, chars, human, mixed, new_uuid, url_json, with_crc

MARK = "-" * 5
PRIVATE = "PRIV" + "ATE KEY"


def simple(prefix, alphabet, count, suffix=""):
    """A maker of prefix, drawn characters, suffix. The prefix is a tuple of parts."""
    start = "".join(prefix)
    if alphabet == BASE62:
        return lambda rng: start + mixed(rng, count) + suffix
    return lambda rng: start + chars(rng, alphabet, count) + suffix


def aws_id(rng):
    return "A" + rng.choice(["KI", "SI"]) + "A" + chars(rng, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)


def github(letter):
    return lambda rng: with_crc("gh" + letter + "_", mixed(rng, 30))


def github_fine(rng):
    return "github" + "_pat_" + mixed(rng, 22) + "_" + mixed(rng, 59)


def npm(rng):
    return with_crc("np" + "m_", mixed(rng, 30))


def slack(sort):
    def make(rng):
        team, user = chars(rng, "123456789", 12), chars(rng, "123456789", 13)
        if sort == "b":
            return "xo" + f"xb-{team}-{user}-" + mixed(rng, 24)
        return "xo" + f"xp-{team}-{user}-{chars(rng, '123456789', 13)}-" + chars(rng, HEX, 32)

    return make


def stripe(start):
    def make(rng):
        body = mixed(rng, 24) if rng.random() < 0.4 else "51" + mixed(rng, 97)
        return start + "_li" + "ve_" + body

    return make


def openai_project(rng):
    return "sk-" + "proj-" + chars(rng, URL64, 74) + "T3Blbk" + "FJ" + chars(rng, URL64, 74)


def openai_old(rng):
    return "s" + "k-" + mixed(rng, 20) + "T3Blbk" + "FJ" + mixed(rng, 20)


def anthropic(rng):
    return "sk-" + "ant-" + "api03-" + chars(rng, URL64, 93) + "AA"


def azure_storage(rng):
    return base64_bytes(rng, 64)


def azure_ad(rng):
    return mixed(rng, 3) + rng.choice("78") + "Q~" + chars(rng, BASE62 + "-_.~", 33) + rng.choice(BASE62)


def pypi(rng):
    return "py" + "pi-" + "AgEIcHlwaS5v" + "cmcC" + chars(rng, URL64, 160)


def twilio_key(rng):
    return "S" + "K" + chars(rng, HEX, 32)


def sendgrid(rng):
    return "S" + "G." + chars(rng, URL64, 22) + "." + chars(rng, URL64, 43)


def telegram(rng):
    return chars(rng, "123456789", rng.choice([9, 10])) + ":A" + "A" + chars(rng, URL64, 33)


def discord(rng):
    user = base64.b64encode(chars(rng, "123456789", 18).encode()).decode()
    return user + "." + "G" + chars(rng, URL64, 5) + "." + chars(rng, URL64, 38)


def sentry(rng):
    org = {"iat": rng.randint(1_700_000_000, 1_780_000_000), "url": "https://sentry.io", "org": "acme"}
    return "sn" + "trys_" + url_json(org) + "_" + chars(rng, BASE64, 43)


def grafana_service(rng):
    body = mixed(rng, 32)
    return "gl" + "sa_" + body + "_" + f"{zlib.crc32(body.encode()):08x}"


def grafana_cloud(rng):
    return (
        "gl" + "c_" + url_json({"o": str(rng.randint(10000, 99999)), "n": "ci", "k": mixed(rng, 24), "m": {"r": "eu"}})
    )


def vault(rng):
    return "hv" + "s." + "CAES" + "I" + chars(rng, URL64, 86)


def databricks(rng):
    return "da" + "pi" + chars(rng, HEX, 32) + rng.choice(["", "-2"])


def fly(rng):
    return "Fly" + "V1 fm2_" + base64_bytes(rng, 120)


def atlassian(rng):
    return "ATA" + "TT3x" + "FfGF0" + chars(rng, URL64, 174) + "=" + chars(rng, "0123456789ABCDEF", 8)


def postman(rng):
    return "PM" + "AK-" + chars(rng, HEX, 24) + "-" + chars(rng, HEX, 34)


def age_key(rng):
    return "AGE-" + "SECRET-" + "KEY-1" + chars(rng, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)


def pinecone(rng):
    return "pc" + "sk_" + mixed(rng, 6) + "_" + mixed(rng, 63)


def langsmith(rng):
    return "lsv" + rng.choice(["2_pt_", "2_sk_"]) + chars(rng, HEX, 32) + "_" + chars(rng, HEX, 10)


def resend(rng):
    return "r" + "e_" + mixed(rng, 8) + "_" + mixed(rng, 24)


def tailscale(rng):
    return "ts" + "key-auth-" + "k" + mixed(rng, 10) + "CNTRL-" + mixed(rng, 32)


def lines_of(text, width):
    return "\n".join(text[at : at + width] for at in range(0, len(text), width))


def der_body(start, count):
    return lambda rng: lines_of(start + base64_bytes(rng, count), 64)


def openssh_body(rng):
    head = b"openssh-key-v1\0" + b"\0\0\0\4none" * 2 + b"\0\0\0\0\0\0\0\1\0\0\0\x33\0\0\0\x0bssh-ed25519"
    return lines_of(base64.b64encode(head + rng.randbytes(218)).decode(), 70)


def crc24(data):
    value = 0xB704CE
    for byte in data:
        value ^= byte << 16
        for _ in range(8):
            value <<= 1
            if value & 0x1000000:
                value ^= 0x1864CFB
    return value & 0xFFFFFF


def pgp_body(rng):
    data = b"\x95\x03\x98\x04" + rng.randbytes(500)
    check = base64.b64encode(crc24(data).to_bytes(3, "big")).decode()
    return lines_of(base64.b64encode(data).decode(), 64) + "\n=" + check


def armour(name, body, gap="\n"):
    """Text of a PEM or PGP block around a body."""
    return f"{MARK}BEGIN {name}{MARK}{gap}{body}\n{MARK}END {name}{MARK}"


def pem(name):
    title = (name + " " if name else "") + PRIVATE
    return lambda body: armour(title, body)


def pgp(body):
    return armour("PGP " + PRIVATE + " BLOCK", body, "\n\n")


def heroku(rng):
    return new_uuid(rng)


def basic(rng):
    pair = rng.choice(["ann", "ci-bot", "deploy", "svc_report"]) + ":" + human(rng)
    return base64.b64encode(pair.encode()).decode()


def encoded_password(rng):
    return base64.b64encode(human(rng).encode()).decode()


def hex_of(count):
    return lambda rng: chars(rng, HEX, count)


def upper_of(prefix, count):
    return simple(prefix, UPPER, count)
