"""What scripts/bench builds before it measures, and after, and scripts/gate before it looks."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest
from calls import call
from program import ROOT, Program, environment

QUICK = "--profile=quick"

# Each leaves a line: the build also whether a table was printed before.
FAKES = {
    "bin/dpkg-query": "echo ok installed",
    "bin/nvcc": "exit 0",
    "bin/cmake": """
[ "$1" = --build ] || exit 0
for target; do :; done
printed=; [ -s printed ] && printed=' after the table'
echo "build $target$printed" >>steps
case $target in *_quick) made=build/quick ;; *) made=build ;; esac
mkdir -p $made && cp bin/program $made/${target%_quick}""",
    "bin/program": """
case " $* " in
  *' --list '* | *' advise '*) echo "${0#"$PWD"/} $1" >>steps; exit ;;
  *' check '*) echo "${0#"$PWD"/} $1" >>steps; exit 2 ;;
esac
echo "${0#"$PWD"/}" >>steps
for argument; do case $argument in --out=*) echo {} >"${argument#*=}" ;; esac; done
echo table""",
    ".venv/bin/python": "echo draw >>steps",
}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    for name in ("CMakeLists.txt", "packaging/requirements.toml", "plots/requirements.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for name, text in FAKES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    digest = hashlib.sha256((tmp_path / "plots/requirements.txt").read_bytes()).hexdigest()
    (tmp_path / ".venv/plots-requirements.txt.sha256").write_text(f"{digest}  -\n")
    header = tmp_path / ".nvml/nvidia/any/include/nvml.h"
    header.parent.mkdir(parents=True)
    header.touch()
    return tmp_path


def steps(clone: Path, *arguments: str, script: str = "bench", expected: int = 0) -> list[str]:
    with (clone / "printed").open("w") as printed:
        completed = subprocess.run(
            [clone / "scripts" / script, *arguments],
            env=environment({"PATH": f"{clone}/bin:/usr/bin:/bin"}),
            cwd=clone,
            stdout=printed,
            check=False,
        )
    assert completed.returncode == expected
    return (clone / "steps").read_text().splitlines()


@pytest.mark.parametrize("arguments", [(), (QUICK,), ("--device=host", "--sizes=4KiB", "--brief")])
def test_the_profile_quick_is_measured_before_the_rest_is_built(
    clone: Path, arguments: tuple[str, ...]
):
    assert steps(clone, *arguments) == [
        "build bench_transfers_quick",
        "build/quick/bench_transfers",
        "build bench_transfers after the table",
        "draw",
        "build/bench_transfers advise",
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--profile=standard",),
        ("--profile", "full"),
        (QUICK, "--strategies=copy"),
        ("--strategies", "copy", "null"),
        ("--concurrent=host:both",),
        ("--resume=run.json",),
        ("--benchmark_filter=null",),
    ],
)
def test_other_benchmarks_are_measured_by_the_whole_program(
    clone: Path, arguments: tuple[str, ...]
):
    made = steps(clone, *arguments)
    assert made[:2] == ["build bench_transfers", "build/bench_transfers"]
    assert made.count("build bench_transfers") == 1


def test_all_strategies_are_listed(clone: Path):
    assert steps(clone, "--list") == ["build bench_transfers", "build/bench_transfers --list"]


def test_a_baseline_is_refused_before_what_measures_is_built(clone: Path):
    (clone / "baseline.json").write_text("{}")
    assert steps(clone, "baseline.json", script="gate", expected=2) == [
        "build gate_transfers",
        "build/gate_transfers check",
    ]


TWO_DEVICES = "--device=host:0@a=10GB/s,host:1@b=10GB/s"


@pytest.mark.parametrize("device", ["--device=auto", "--device=host", TWO_DEVICES])
def test_the_first_program_has_all_benchmarks_of_the_profile(program: Program, device: str):
    first = Program(program.path.parent / "quick/bench_transfers")
    listing = (QUICK, device, "--benchmark_list_tests")
    assert (listed := first.run(*listing).out)
    assert listed == program.run(*listing).out


GPU = {
    "sys/bus/pci/devices/0000:01:00.0/vendor": "0x10de",
    "sys/bus/pci/devices/0000:01:00.0/class": "0x030200",
}
DRIVER = "sys/module/nvidia/version"
NIC = {name: text.replace("0x0302", "0x0200") for name, text in GPU.items()}
INSTEAD = ": copies within this machine's memory will be measured."
TOOLKIT = "get a CUDA 12 toolkit, without root: packaging/bundle/cuda12 .cache/cuda12 && "


@pytest.mark.parametrize(
    ("files", "nvcc", "why", "remedy"),
    [
        ({}, "13.0", "No NVIDIA GPU is here", ""),
        (NIC, "13.0", "No NVIDIA GPU is here", ""),
        ({"dev/dxg": ""}, "13.0", "", ""),
        (GPU, "13.0", "NVIDIA's driver is not loaded", "install driver 525 or later"),
        (GPU | {DRIVER: "470.1"}, "12.4", "Driver 470.1 is too old", "install driver 525 or later"),
        (GPU | {DRIVER: "580.65.06"}, "", "There is no nvcc here", TOOLKIT),
        (
            GPU | {DRIVER: "580.65.06"},
            "11.8",
            "nvcc is of CUDA 11.8, and 12.4 is the oldest that will do",
            TOOLKIT,
        ),
        (
            GPU | {DRIVER: "535.129.03"},
            "13.0",
            "nvcc is of CUDA 13.0, whose programs need driver 580 or later,"
            " and driver 535.129.03 is here",
            TOOLKIT,
        ),
        (GPU | {DRIVER: "535.129.03"}, "12.9", "", ""),
        (GPU | {DRIVER: "580.65.06"}, "13.0", "", ""),
        ({DRIVER: "590.1"}, "13.2", "", ""),
    ],
)
def test_what_keeps_a_gpu_from_being_measured_is_said_first(
    tmp_path: Path, files: dict[str, str], nvcc: str, why: str, remedy: str
):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"{text}\n")
    fake = f"nvcc() {{ echo 'Cuda compilation tools, release {nvcc}, V{nvcc}.1'; }}"
    command = f"{fake}; find_cuda() {{ [ -n '{nvcc}' ]; }}; look_at_machine {tmp_path}"
    completed = call(["bash", "-c", f". {ROOT}/scripts/setup.sh; {command}"], expected=0)
    first, _, second = completed.stderr.partition("\n")
    assert first == (why + INSTEAD if why else "")
    assert second.startswith(f"To measure the GPU, {remedy}" if remedy else "")
    assert bool(second) == bool(remedy)


def in_setup(command: str, path: str) -> subprocess.CompletedProcess[str]:
    return call(["/bin/bash", "-c", f". {ROOT}/scripts/setup.sh; PATH={path}; {command}"])


@pytest.mark.parametrize(
    ("release", "command"),
    [
        ("ID=debian", "apt-get install g++ jq"),
        ("ID=ubuntu\nID_LIKE=debian", "apt-get install g++ jq"),
        (
            'ID=rocky\nID_LIKE="rhel centos fedora"',
            "dnf install --enablerepo=crb gcc-c++ cmake ninja-build git python3.11",
        ),
        ("ID=arch", "pacman -S --needed gcc cmake ninja git python"),
        ("", "install what has g++, CMake, Ninja, Git and Python 3 here"),
    ],
)
def test_each_system_is_told_what_to_install(tmp_path: Path, release: str, command: str):
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/os-release").write_text(f"{release}\n")
    told = in_setup(f"how_to_install {tmp_path} g++ jq", "$PATH")
    assert (told.returncode, told.stdout, told.stderr) == (0, command, "")
    page = (ROOT / "docs/INSTALL.md").read_text("utf-8")
    assert "apt-get" in command or "install what" in command or f"`{command}`" in page


def test_a_build_without_root_takes_the_programs_that_are_there(tmp_path: Path):
    for name in ("c++", "ninja"):
        (tmp_path / name).symlink_to("/bin/true")
    told = in_setup("do_without g++ ninja-build libfmt-dev python3-venv", str(tmp_path))
    assert (told.returncode, told.stdout) == (0, "")
    assert told.stderr.endswith("CMake fetches the libraries that it does not find.\n")
    refused = in_setup("do_without g++ cmake libfmt-dev", str(tmp_path))
    assert refused.returncode == 2
    assert "missing: cmake. As root: " in refused.stderr
    assert "Without root: cmake and ninja of pip" in refused.stderr


def test_packages_come_at_once_and_the_one_that_fails_is_named(tmp_path: Path):
    programs = {
        "id": "echo 0",
        "dpkg-query": "exit 1",
        "apt-get": f'echo "${{@:$#-1}}" >>{tmp_path}/log; case "$*" in *none*) exit 100 ;; esac',
    }
    for name, text in programs.items():
        (tmp_path / name).write_text(f"#!/bin/bash\n{text}\n")
        (tmp_path / name).chmod(0o755)
    path = f"{tmp_path}:/usr/bin:/bin"
    told = in_setup("install_packages one two", path)
    assert (told.returncode, told.stderr) == (0, "Installing one two ...\n")
    assert (tmp_path / "log").read_text() == "update -qq\none two\n"
    refused = in_setup("install_packages one none two", path)
    assert refused.returncode == 2
    assert "package none cannot be installed; get it with" in refused.stderr
