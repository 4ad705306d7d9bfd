"""Names the metrics of benchmarks for readers of CUDA's documentation.

Descriptions are recorded in result files, so the page has its own for the keys that it knows.
"""

from __future__ import annotations

from plots.model.load import Metric

# A name or a figure says them.
NOT_SHOWN = ("bytes", "operations", "batch", "device_operations", "procedure")
WORDS = {
    "min_ns": "fastest",
    "p5_ns": "5th percentile",
    "median_ns": "median",
    "mean_ns": "mean",
    "p95_ns": "95th percentile",
    "p99_ns": "99th percentile",
    "p999_ns": "99.9th percentile",
    "max_ns": "slowest",
    "gb_per_s": "bandwidth",
    "link_percent": "bandwidth, of the link's raw rate",
    "device_ns": "time on the device (CUDA events)",
    "device_gb_per_s": "bandwidth on the device (CUDA events)",
    "cores": "CPU cores kept busy",
    "cpu_s_per_gb": "CPU time of all threads per GB",
    "multiprocessors": "multiprocessors in use",
    "ns_per_access": "time of a single access by the CPU",
    **{
        f"{direction}{other}_{key}": f"{quantity} {phrase}{while_}"
        for direction, phrase in (("h2d", "to the device"), ("d2h", "to the host"))
        for other, while_ in (("", ", the other direction busy"), ("_alone", ", alone"))
        for key, quantity in (("ns", "time of the copy"), ("gb_per_s", "bandwidth"))
    },
    "plain_ns": "launch by <<<>>>, in turn with this one",
    "over_plain_ns": "how much longer than the launch by <<<>>>",
    "staging_threads": "threads that copy chunks, at most",
    "staging_least_chunk": "smallest chunk",
    "staging_streaming_stores": "non-temporal stores (1: in use)",
    **{
        f"{access}_ns": access.replace("_", " ")
        for access in (
            *("read_memcpy", "read_modify_write", "read_random", "read_scalar", "read_streaming"),
            *("read_strided", "read_vector", "write_fill", "write_memcpy", "write_random"),
            "write_streaming",
        )
    },
    "allocate_ns": "allocation",
    "both_ns": "both copies",
    "call_ns": "call",
    "compile_and_load_ns": "compiling and loading the kernel",
    "compute_ns": "kernel",
    "copy_ns": "copy",
    "create_ns": "creation",
    "destroy_ns": "destruction",
    "download_ns": "copy to the host",
    "enqueue_ns": "until the asynchronous call returns",
    "fill_ns": "filling the host memory",
    "first_ns": "first call",
    "free_ns": "freeing the memory",
    "launch_ns": "kernel launch",
    "lock_ns": "page-locking",
    "nothing_ns": "nothing",
    "round_trip_ns": "round trip",
    "second_ns": "second call",
    "to_gpu_ns": "to_gpu(a)",
    "touch_ns": "first access to the pages by the CPU",
    "unload_ns": "unloading the kernel",
    "unlock_ns": "undoing the page-locking",
    "upload_ns": "copy to the device",
    "wait_ns": "waiting until the data have arrived",
}


def describe(key: str, metric: Metric) -> str:
    """Returns a metric in words: those of the file if its key is not known here."""
    return WORDS.get(key, metric.description)
