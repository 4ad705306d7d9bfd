"""Tests how files of format 1 become format 2: their names and their sentences."""

from pathlib import Path

import pytest
import synthetic

from plots.model.lift import describe, format_1, message
from plots.model.load import parse_result, read_result

RECORDED = Path(__file__).resolve().parents[2] / "results"


def values_of(name, *keys):
    fields = describe(name)
    return tuple(fields[key] for key in keys)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("copy/pinned_wc/h2d/1MiB", ("copy/pinned_wc", "h2d", "h2d", 2**20, "warm", "copy")),
        ("copy/staged/d2h/4B/cold", ("copy/staged", "d2h", "d2h", 4, "cold", "copy")),
        ("zero_copy/registered/read/1KiB", ("zero_copy/registered", "read", "h2d", 1024)),
        ("duplex/engines/pinned/64MiB", ("duplex/engines/pinned", None, "both", 64 * 2**20)),
        ("cpu/managed/write_fill/1GiB", ("cpu/managed", "write_fill", "none", 2**30)),
        ("message/memcpy", ("message/memcpy", None, "both", None, "warm", "latency")),
        ("null/single", ("null", "single", "none", None, "warm", "floor")),
        ("launch/graph/0_arguments", ("launch/graph", "0_arguments", "none", None)),
        ("gpu_array/get/pinned/fresh/char/1KiB", ("gpu_array/get/pinned/fresh", "char", "d2h")),
    ],
)
def test_a_known_name_has_the_fields_of_its_strategy_and_variant(name, expected):
    keys = ("strategy", "variant", "direction", "size_bytes", "cache", "role")
    assert values_of(name, *keys[: len(expected)]) == expected


def test_the_role_of_a_variant_overrides_the_strategys():
    keys = ("role", "method", "setting", "memory", "plainness")
    assert values_of("cpu/pinned/read_random_all_cores/1MiB", *keys) == (
        "cpu_read",
        "random",
        "all_cores",
        "pinned",
        3,
    )
    assert describe("cpu/emulated_wc/read_memcpy/1MiB")["emulation"] is True


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("own/way/h2d/1MiB", ("own/way", "way", "h2d", "h2d", "copy", 1)),
        ("own/one_way/write/1MiB/cold", ("own/one_way", "one_way", "write", "d2h", "copy", 2)),
        ("own/1MiB", ("own", None, None, "none", "other", 1)),
        ("own/a/b", ("own/a/b", "a/b", None, "none", "other", 1)),
        ("h2d", ("h2d", None, None, "none", "other", 1)),
        ("copy/novel/h2d/4B", ("copy/novel", "novel", "h2d", "h2d", "copy", 1)),
        ("", ("", None, None, "none", "other", 1)),
    ],
)
def test_an_unknown_name_has_the_fields_that_its_parts_imply(name, expected):
    keys = ("strategy", "method", "variant", "direction", "role", "plainness")
    assert values_of(name, *keys) == expected


@pytest.mark.parametrize("path", sorted(RECORDED.glob("*/*/result.json.gz")), ids=str)
def test_every_recorded_benchmark_is_known(path):
    result = read_result(path)
    known = format_1()["families"]
    # Files of format 2 say what their benchmarks are, and may have newer ones.
    lifted = result.benchmarks if result.original["transfers"]["format"] == 1 else {}
    for name, fields in lifted.items():
        assert fields.role in format_1()["roles"], name
        assert fields.strategy in known[fields.family]["strategies"], name
        variants = known[fields.family].get("variants", {})
        assert fields.variant is None or fields.variant in variants, name
    counters = {
        key
        for row in result.rows
        for key, value in row.items()
        if isinstance(value, float | int) and key not in GOOGLE_BENCHMARK_FIELDS
    }
    assert counters <= set(result.metrics)


GOOGLE_BENCHMARK_FIELDS = {
    "repetitions",
    "repetition_index",
    "threads",
    "iterations",
    "real_time",
    "cpu_time",
}


def test_the_description_of_format_1_is_consistent():
    known = format_1()
    for family, description in known["families"].items():
        parts = [
            description,
            *description.get("variants", {}).values(),
            *description["strategies"].values(),
        ]
        assert all(part["role"] in known["roles"] for part in parts if "role" in part)
        assert all(strategy.split("/")[0] == family for strategy in description["strategies"])
        directions = {part["direction"] for part in parts if "direction" in part}
        assert directions <= {"h2d", "d2h", "both", "none"}
    assert all(metric["better"] in ("more", "less", None) for metric in known["metrics"].values())


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("virtual machine (KVM): the hypervisor decides memory types", "virtual_machine"),
        ("the GPU's SM clock fell from 1980 to 1200 MHz", "gpu_clock_fell"),
        ("something else", "other"),
    ],
)
def test_a_warning_has_its_code(text, code):
    assert message(text, "warnings") == {"code": code, "data": {}, "text": text}


def test_messages_of_a_file_are_lifted():
    document = synthetic.document(
        warnings=["link runs at PCIe 3.0", ""],
        skipped=[
            {"name": "copy/managed/h2d", "reason": "memory refused: 4 GiB"},
            {"name": "a", "reason": ""},
        ],
        device={"kind": "host", "why_not_gpu": "No GPU: no driver. Measuring on the host."},
    )
    result = parse_result(Path("run.json"), document)
    assert [(entry.code, entry.text) for entry in result.warnings] == [
        ("link_below_maximum", "link runs at PCIe 3.0")
    ]
    assert [(entry.name, entry.reason.code, entry.reason.text) for entry in result.skipped] == [
        ("copy/managed/h2d", "memory_refused", "memory refused: 4 GiB"),
        ("a", "unsupported", "no reason given"),
    ]
    assert result.why_not_gpu.data == {"reason": "no driver"}
    assert result.original is document["context"]


def test_the_file_tells_the_memory_of_strategies_that_are_not_known():
    names = ["own/quick/h2d/4KiB", "own/slow/h2d/4KiB", "copy/pinned/h2d/4KiB"]
    document = synthetic.document(
        [synthetic.row(name, 4096, 9.0) for name in names],
        strategies=[
            {"name": "own/quick", "memory": "pinned"},
            {"name": "own/slow", "memory": None},
            {"name": "copy/pinned", "memory": "own"},
            "no strategy",
        ],
    )
    benchmarks = parse_result(Path("run.json"), document).benchmarks
    assert [benchmarks[name].memory for name in names] == ["pinned", None, "pinned"]


@pytest.mark.parametrize("size", ["0B", "000KiB", "4TiB", "4kB"])
def test_a_last_part_that_is_no_size_belongs_to_the_strategy(size):
    assert describe(f"own/{size}") == describe("own/x") | {
        "strategy": f"own/{size}",
        "method": size,
    }
