"""The items of the bench: texts with a secret in them, and harmless texts that look as if they had one.

Both lists are built at run time from seeded random numbers, so that they are the same in each run. An item has a kind, a
split (choosing: rules may be made with it; judging: they may not), the context that its text comes from, the text, and
the secret, a part of the text that must not survive (empty where the text is harmless). Standard library only."""

import leaks
import lookalikes
from draw import Item

__all__ = ["Item", "harmless", "secrets"]


def secrets():
    return leaks.build()


def harmless():
    return lookalikes.build()


if __name__ == "__main__":
    for name, items in [("secrets", secrets()), ("harmless", harmless())]:
        kinds = {item.kind for item in items}
        judging = sum(item.split == "judging" for item in items)
        print(f"{name}: {len(items)} items of {len(kinds)} kinds, {judging} for judging")
