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


def timed(name, size, gb_per_s, factors=(1.0, 1.0, 1.0), **more):
    """Returns repetitions, so many times as long; without a size, the rate is the time in ns."""
    full_name = f"{name}/{synthetic.size_name(size)}" if size else name
    ns = size / gb_per_s if size else gb_per_s
    rows = [synthetic.row(full_name, size, ns * factor, **more) for factor in factors]
    return [row if size else row | {"bytes": None, "gb_per_s": None} for row in rows]
