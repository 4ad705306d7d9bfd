"""Tests the text that says how numbers were measured."""

import healthy
import synthetic
from synthetic import MIB

from plots.text import latex, method

PROGRAM = {
    "version": "0.1.0",
    "git_commit": "abc123",
    "compiler": "GNU 12",
    "build_type": "Release",
    "cuda_toolkit": "13.0.88",
}
PROCEDURE = {
    "profile": "full",
    "started_utc": "2026-11-20T11:00:00Z",
    "seed": 7,
    "min_time_ms": 20.0,
    "random_order": True,
    "sizes": [4, 64, 1024, 65536],
    "cold_sizes": [MIB],
    "command_line": ["bench_transfers", "--profile=full", "--strategies=copy", "--seed=7"],
}


def text_of(*runs):
    return method.format_method(list(enumerate(runs, start=1)))["method.txt"].decode()


def described(**transfers):
    return text_of(synthetic.run(program=PROGRAM, run=PROCEDURE, **transfers))


def test_the_text_has_the_facts_of_the_file():
    text = described(
        device={"kind": "cuda", "name": "Some GPU", "driver_version": "580.1"},
        machine={
            "cpu": {"model": "Some CPU", "logical_cpus_online": 16, "numa_nodes": 1},
            "memory": {"total_bytes": 2**37},
            "virtualisation": {"hypervisor": "KVM"},
        },
        clock={"name": "some_clock", "read_ns": 20.0},
    )
    for sentence in (
        "The measurement began on 2026-11-20 11:00 UTC.",
        "Data were transferred between host memory and one Some GPU.",
        "The link under load is PCIe 5.0 x16: 63.00 GB/s in each direction after line coding, of "
        "which packet headers leave 57.60 to 58.40 GB/s.",
        "The GPU's driver is 580.1.",
        "The host has 16 logical CPUs, 1 NUMA node and 128 GiB of memory.",
        "The host is a virtual machine (KVM).",
        "The program is bench_transfers 0.1.0 (commit abc123, built as Release, GNU 12, CUDA "
        "toolkit 13.0.88).",
        "The program ran with the profile full and the options --strategies=copy.",
        "The sizes are, with warm caches, 4 from 4 B to 64 KiB; with cold caches, 1 MiB.",
        "One process measured in rounds, each benchmark for about 20 ms and at "
        "least three operations.",
        "The seed of order and data is 7.",
        "Each benchmark has 3 repetitions.",
        "Times are wall times of the host's clock (some_clock), from the call until",
        "To read the clock takes 20.00 ns.",
    ):
        assert sentence in text
    assert "CUDA events" not in text  # no row has a time of the device
    assert "cold, the lines" not in text


def test_what_is_not_known_is_named_and_nothing_is_made_up():
    text = text_of(synthetic.run(link={}, machine={}, program={}))
    unknown = text.partition("Not known: ")[2]
    for name in (
        "the link and its rate",
        "the driver's version",
        "the processor",
        "the CUDA toolkit",
    ):
        assert name in unknown
    for name in ("the program's commit", "the sizes that were planned", "GPU throttling"):
        assert name in unknown
    for name in ("PCIe", "virtual machine", "None", "GB/s in each", "seed"):
        assert name not in text


def test_what_is_known_is_not_named_as_unknown():
    unknown = described(**healthy.HEALTHY).partition("Not known: ")[2]
    assert "NUMA distance" not in unknown
    assert "the processor" not in unknown
    assert "GPU throttling" in unknown


def test_runs_share_what_they_have_in_common_and_the_rest_is_said_of_each():
    other = PROCEDURE | {"seed": 8}
    text = text_of(
        synthetic.run(program=PROGRAM, run=PROCEDURE),
        synthetic.run(program=PROGRAM, run=other, device={"kind": "cuda", "name": "Other"}),
    )
    first, *_, last, most = text.splitlines()[::2]
    assert first == (
        "2 runs were measured: run 1 (Synthetic GPU) and run 2 (Other). For all of them:"
    )
    assert text.count("The program is bench_transfers") == 1
    assert last.startswith("Run 1 (Synthetic GPU): ")
    assert most.startswith("Run 2 (Other): Data were transferred")
    assert most.endswith("The seed of order and data is 8.")
    assert "seed" not in text.partition("Run 1")[0].partition("For all of them")[2]


def test_the_host_device_and_imported_values_say_so():
    host = text_of(synthetic.run(device={"kind": "host", "name": "host"}))
    assert "No GPU was measured" in host
    assert "driver" not in host
    imported = text_of(synthetic.run(imported={"program": "nvbandwidth", "version": "0.8"}))
    assert "measured by nvbandwidth 0.8 and imported" in imported
    assert "wall time" not in imported
    assert "how data were verified" in imported


def test_faults_failures_and_interruptions_are_said():
    run = synthetic.run(
        [*synthetic.rows(), synthetic.failed_row("copy/x/h2d/4B")],
        complete=False,
        run={"profile": "quick", "faults_injected": ["slow"]},
    )
    text = text_of(run)
    assert "The run did not end by itself" in text
    assert "Faults were injected on purpose (slow)." in text
    assert "1 benchmark failed" in text


def test_options_can_be_broken_in_a_narrow_column_and_keep_their_hyphens():
    assert latex.prose("ran --sizes=4B,16B_x 95 %") == (
        r"ran -{}-sizes=\allowbreak{}4B,\allowbreak{}16B\_\allowbreak{}x 95~\%"
    )
    assert latex.prose("short/a") == "short/a"


def test_options_that_say_where_results_go_are_left_out_with_their_values():
    options = ["--out", "/home/somebody/run.json", "--profile=quick", "--sizes=1MiB", "--seed", "7"]
    subject = synthetic.run()
    subject.result.transfers["run"] = {"options": [*options, "--outer=1"]}
    text = text_of(subject)
    assert "the options --sizes=1MiB --outer=1." in text
    assert "somebody" not in text
