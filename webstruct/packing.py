"""Arrays, strings and small values as one block of bytes, and back: what the store keeps of pages and statistics.

The form is plain on purpose (a JSON header, then the raw arrays): it is quick, has no code in it, as a pickle has, and
can be read by any language.
"""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from webstruct.errors import WebstructError

if TYPE_CHECKING:
    from collections.abc import Mapping

_MAGIC = b"WSP1"
_LENGTH = struct.Struct("<I")
_SEPARATOR = "\x00"


class PackingError(WebstructError):
    """The bytes are not what `pack` wrote."""


def pack(fields: Mapping[str, Any]) -> bytes:
    """Numpy arrays, lists of strings without NUL, and JSON values, by name.

    >>> unpack(pack({"n": np.arange(3), "names": ["a", ""], "url": "http://e.com/"}))["names"]
    ['a', '']
    """
    header: list[tuple[str, str, Any]] = []
    parts: list[bytes] = []
    for name, value in fields.items():
        if isinstance(value, np.ndarray):
            header.append((name, value.dtype.str, value.nbytes))
            parts.append(np.ascontiguousarray(value).tobytes())
        elif isinstance(value, list):
            joined = _SEPARATOR.join(value).encode("utf-8", "replace")
            header.append((name, f"strings:{len(value)}", len(joined)))
            parts.append(joined)
        else:
            header.append((name, "json", value))
    head = json.dumps(header, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
    return b"".join([_MAGIC, _LENGTH.pack(len(head)), head, *parts])


def unpack(data: bytes) -> dict[str, Any]:
    """The fields that `pack` was given; the arrays are read-only views of `data`."""
    try:
        return _unpack(data)
    except (ValueError, TypeError, KeyError, struct.error) as error:
        raise PackingError(f"packed data of {len(data)} bytes can't be read: {error}") from error


def _unpack(data: bytes) -> dict[str, Any]:
    if data[:4] != _MAGIC:
        raise ValueError(f"it begins with {data[:4]!r}, not {_MAGIC!r}")
    start = 4 + _LENGTH.size
    (head_length,) = _LENGTH.unpack(data[4:start])
    offset = start + head_length
    fields: dict[str, Any] = {}
    for name, kind, value in json.loads(data[start:offset]):
        if kind == "json":
            fields[name] = value
            continue
        if offset + value > len(data):
            raise ValueError(f"field {name!r} is cut off")
        if kind.startswith("strings:"):
            count = int(kind.partition(":")[2])
            text = data[offset : offset + value].decode("utf-8")
            fields[name] = text.split(_SEPARATOR) if count else []
            if len(fields[name]) != count:
                raise ValueError(f"field {name!r} has {len(fields[name])} strings, not {count}")
        else:
            dtype = np.dtype(kind)
            fields[name] = np.frombuffer(data, dtype=dtype, count=value // dtype.itemsize, offset=offset)
        offset += value
    return fields
