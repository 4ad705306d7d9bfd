"""Converts recorded files of format 1, once: result files to format 2, baselines to format 3.

    .venv/bin/python -m scripts.convert_results FILE...

Rows stay as they are, byte for byte, and numbers keep their digits. What is added is what the
readers derive from such a file (plots/model/lift.py, src/result_file/lift_format_1.cpp). Files of
other formats are left alone.
"""

from __future__ import annotations

import json
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

from plots.model import gunzip
from plots.model.lift import describe, lift_transfers

RESULT_FORMAT, BASELINE_FORMAT = 2, 3
BEGIN, END = '\n "transfers": ', '\n},\n"benchmarks": [\n'
OF_BENCHMARK = (
    *("family", "strategy", "method", "setting", "memory", "variant", "direction", "size_bytes"),
    *("cache", "devices", "role", "plainness", "in_place", "emulation"),
)
BEFORE = {"devices": "machine", "roles": "skipped", "benchmarks": "skipped", "metrics": "skipped"}
LATENCY = {"floor", "launch", "latency"}
LINK = {"copy", "kernel_access", "duplex", "concurrent", "overlap"}
COPIES = {"copy", "overlap", "concurrent"}
HOST = {
    *("allocation", "arguments", "array", "container_copy", "conversion", "cpu_read", "cpu_write"),
    *("first_call", "cpu_read_write", "deallocation", "scattered_copy", "strided_copy"),
}


class Number(str):
    """A number of a file, as the file has it."""

    __slots__ = ()


def parsed(text: str) -> Any:
    return json.loads(text, parse_int=Number, parse_float=Number)


def dump(value: Any, depth: int) -> str:
    """As the programs write it: each member on a line, indented by one blank for each level."""
    if isinstance(value, Number):
        return value
    if not isinstance(value, dict | list) or not value:
        return json.dumps(value, ensure_ascii=False)
    fronts = (
        [f"{json.dumps(key, ensure_ascii=False)}: " for key in value]
        if isinstance(value, dict)
        else [""] * len(value)
    )
    entries = value.values() if isinstance(value, dict) else value
    begin, end = "{}" if isinstance(value, dict) else "[]"
    line = "\n" + " " * (depth + 1)
    members = (
        line + front + dump(entry, depth + 1) for front, entry in zip(fronts, entries, strict=True)
    )
    return begin + ",".join(members) + line[:-1] + end


def converted_result(text: str) -> str:
    begin = text.index(BEGIN) + len(BEGIN)
    end = text.index(END)
    before, rows = parsed(text[begin:end]), parsed(text)["benchmarks"]
    require(
        dump(before, 1) == text[begin:end],
        "transfers is the last of the context, written by a program",
    )
    require(not any("error_occurred" in row for row in rows), "no row has failed")
    lifted = lift_transfers(before, rows)
    lifted["benchmarks"] = {
        name: {key: fields[key] for key in OF_BENCHMARK if key in fields}
        for name, fields in lifted["benchmarks"].items()
    }
    lifted["buffers"] = [with_flag(buffer) for buffer in lifted["buffers"]]
    after = in_order(lifted, list(before))
    require_same(before, after)
    changed = text[:begin] + dump(after, 1) + text[end:]
    require(parsed(changed)["benchmarks"] == rows, "the rows are the same")
    return changed


def with_flag(buffer: dict[str, Any]) -> dict[str, Any]:
    """The flag stands behind the bytes, as the programs write it."""
    return {
        key: buffer[key] for key in dict.fromkeys(["memory", "bytes", "write_combined", *buffer])
    }


def in_order(lifted: dict[str, Any], known: list[str]) -> dict[str, Any]:
    """What is added stands where the programs write it."""
    keys = list(known)
    for key, place in BEFORE.items():
        keys.insert(keys.index(place), key)
    require(set(keys) == set(lifted), "nothing else is added")
    return {key: lifted[key] for key in keys}


def require_same(before: Any, after: Any, place: str = "") -> None:
    """All that was there is there, but for the format and for texts, which are in messages now."""
    if place == ".format":
        require(after == RESULT_FORMAT, place)
    elif isinstance(before, str) and isinstance(after, dict):
        require(place.startswith((".warnings", ".skipped")) and before == after["text"], place)
    elif isinstance(before, dict):
        for key, value in before.items():
            require_same(value, after[key], f"{place}.{key}")
    elif isinstance(before, list):
        require(len(before) == len(after), place)
        for i, value in enumerate(before):
            require_same(value, after[i], f"{place}.{i}")
    else:
        require(type(before) is type(after) and before == after, place)


def require(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"not so: {what}")


def converted_baseline(text: str) -> str:
    """A benchmark is on one line. The new members stand where the programs write them."""
    content = json.loads(text)
    on_host = content["on_host"]
    lines = text.splitlines()
    lines[1] = f'"format": {BASELINE_FORMAT},'
    for i, line in enumerate(lines):
        if ', "figures":' in line or ',"figures":' in line:
            name = next(iter(json.loads("{" + line.rstrip(",") + "}")))
            limit = limited_by(name, on_host) if content["ours"] else "other"
            lines[i] = line.replace(
                ',"figures":', f',"limited_by":"{limit}","reference":null,"figures":'
            )
    changed = "\n".join(lines) + "\n"
    return changed.replace(content["digest"], digest(json.loads(changed, parse_int=float)))


def limited_by(name: str, on_host: bool) -> str:
    """As src/result_file/benchmark_class.cpp."""
    fields = describe(name)
    role, memory = fields["role"], fields["memory"]
    if role in LATENCY:
        return "latency"
    if role in LINK and memory and memory.startswith(("pinned", "registered")):
        return "host" if on_host else "link"
    return "host" if role in HOST or (role in COPIES and memory) else "other"


def digest(content: dict[str, Any]) -> str:
    """As src/gate/io/read_baseline.cpp: FNV-1a of all but the digest itself."""
    data = bytearray()

    def whole(number: int) -> None:
        data.extend(struct.pack("<Q", number))

    def text(value: str) -> None:
        whole(len(value.encode()))
        data.extend(value.encode())

    def add(value: Any) -> None:
        kinds = {list: "[", dict: "{", float: "d", str: '"', bool: "t", type(None): "n"}
        whole(ord(kinds[type(value)]))
        if isinstance(value, dict | list):
            whole(len(value))
        if isinstance(value, dict):
            for key, entry in value.items():
                text(key)
                add(entry)
        elif isinstance(value, list):
            for entry in value:
                add(entry)
        elif isinstance(value, str):
            text(value)
        elif isinstance(value, bool):
            whole(value)
        elif isinstance(value, float):
            data.extend(struct.pack("<d", value))

    for key, value in content.items():
        if key != "digest":
            text(key)
            add(value)
    hashed = 0xCBF29CE484222325
    for byte in data:
        hashed = (hashed ^ byte) * 0x100000001B3 % 2**64
    return f"{hashed:016x}"


def converted(text: str) -> str | None:
    """None if it is not of an old format."""
    content = json.loads(text)
    if content.get("kind") == "bench_transfers baseline":
        return converted_baseline(text) if content["format"] < BASELINE_FORMAT else None
    transfers = content.get("context", {}).get("transfers")
    is_old = transfers is not None and transfers["format"] < RESULT_FORMAT
    return converted_result(text) if is_old else None


def packed(text: str) -> bytes:
    """As src/common/packed.cpp: without a time."""
    deflate = zlib.compressobj(wbits=31)
    return deflate.compress(text.encode()) + deflate.flush()


def main() -> None:
    for path in map(Path, sys.argv[1:]):
        data = path.read_bytes()
        is_packed = gunzip.is_packed(data)
        text = (zlib.decompress(data, wbits=31) if is_packed else data).decode()
        if (changed := converted(text)) is not None:
            path.write_bytes(packed(changed) if is_packed else changed.encode())
            print(path)


if __name__ == "__main__":
    main()
