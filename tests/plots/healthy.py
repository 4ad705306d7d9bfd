"""Describes a machine without any doubt, and reads sentences about machines."""

import synthetic

HEALTHY = {
    "machine": {
        "cpu": {"model": "Synthetic CPU", "logical_cpus_online": 8, "numa_nodes": 2},
        "process": {"numa_node": 0},
        "virtualisation": {"hypervisor": None},
        "memory": {"total_bytes": 64 * 2**30},
    },
    "device": {"kind": "cuda", "name": "Synthetic GPU", "numa_node": 0},
}


def texts(sentences, warnings=None):
    return [
        sentence.text for sentence in sentences if warnings is None or sentence.warning is warnings
    ]


def timed(name, size, gb_per_s, **more):
    """Returns three equal repetitions."""
    return [synthetic.row(f"{name}/{synthetic.size_name(size)}", size, size / gb_per_s, **more)] * 3
