"""Text that others wrote, made safe to look at, and HTML in which only what we wrote is markup."""

import html
import re
from typing import Any

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff"
    "\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"
)
"""Controls, marks of direction, what has no width or is no character: code could look like other code."""


class Markup(str):
    """A string that is HTML already."""


def plain(text: str) -> str:
    """The text with every character that cannot be seen spelt out, as in ⟨U+202E⟩."""
    return _UNSEEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text.replace("\r\n", "\n"))


def plain_document(value: Any) -> Any:
    """JSON data with all its texts plain."""
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, dict):
        return {plain(key): plain_document(each) for key, each in value.items()}
    return [plain_document(each) for each in value] if isinstance(value, list | tuple) else value


def tag(name: str, *children: str, **attributes: str) -> Markup:
    """An element. Children that are not `Markup` are text; `class_` stands for `class`, `_` for `-`."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(plain(value))}"'
        for key, value in attributes.items()
    )
    return Markup(f"<{name}{written}>{join(*children)}</{name}>")


def join(*children: str) -> Markup:
    """Elements and texts, one after another."""
    return Markup(
        "".join(each if isinstance(each, Markup) else html.escape(plain(each)) for each in children)
    )


def shortened(text: str, longest: int) -> str:
    """The text on one line, its end cut off where it is longer."""
    line = " ".join(plain(text).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
