# shellcheck shell=bash
# Sourced by the other scripts: installs what is missing and builds. Everything is looked for
# before it is installed, so that a second call installs nothing.
set -euo pipefail
# A folder of downloads may be where the command is given: nothing in it is run. Neither programs by a
# relative PATH, nor Python's modules; what the environment says to Python is not meant for these.
unset CDPATH "${!PYTHON@}"
. "${BASH_SOURCE[0]%/*}/safe_path.sh"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

build_packages=(g++ cmake ninja-build git libbenchmark-dev libcli11-dev nlohmann-json3-dev libfmt-dev
  libboost-dev libsimdjson-dev libpugixml-dev zlib1g-dev)
# shellcheck disable=SC2034  # those that source this install them
# Both: ranks are tested under either.
test_packages=(libgtest-dev libgmock-dev openmpi-bin libopenmpi-dev mpich libmpich-dev jq help2man)
plot_packages=(python3 python3-venv fonts-liberation)

# Whether a text contains more than characters to read: a terminal's commands, or what nobody sees or
# what changes the direction of writing, which locales call printable (U+00AD, U+061C, U+200B-F, U+2028-E,
# U+2060-F, U+FEFF and the tags from U+E0000 on, in UTF-8).
misleads() {
  case $1 in *[![:print:]]*) return 0 ;; esac
  local LC_ALL=C
  case $1 in
    *$'\xc2\xad'* | *$'\xd8\x9c'* | *$'\xe2\x80'[$'\x8b'-$'\x8f'$'\xa8'-$'\xae']* | \
      *$'\xe2\x81'[$'\xa0'-$'\xaf']* | *$'\xef\xbb\xbf'* | *$'\xf3\xa0'[$'\x80'$'\x81']*) return 0 ;;
  esac
  return 1
}
# One word, as the shell would write it; in a locale where it escapes all that misleads.
quoted() {
  if misleads "$1"; then local LC_ALL=C; fi
  printf %q "$1"
}
printable() { if misleads "$1"; then quoted "$1"; else printf %s "$1"; fi; }
say() { printf '%s\n' "$(printable "$*")" >&2; }
fail() { say "${0##*/}: $*"; exit 2; }
. "$root/scripts/arguments.sh"

# nvcc need not be on the PATH: the toolkit's usual place will do.
find_cuda() {
  if command -v nvcc >/dev/null; then return 0; fi
  if [ -x /usr/local/cuda/bin/nvcc ]; then export PATH="$PATH:/usr/local/cuda/bin"; return 0; fi
  return 1
}

# requirement SECTION KEY: what packaging/requirements.toml has.
requirement() {
  awk -v section="[$1]" -v key="$2" '/^\[/ { inside = $1 == section } inside && $1 == key { gsub("\"", "", $3); print $3 }' \
    packaging/requirements.toml
}
is_older() { [ "$1" != "$2" ] && [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

# look_at_machine ROOT: says, before anything is installed or built, what keeps the GPU from being measured, what is
# measured instead, and what helps. The kernel's files are below ROOT.
look_at_machine() {
  local file gpu='' driver toolkit='' oldest why
  local help="get a CUDA 12 toolkit, without root: packaging/bundle/cuda12 .cache/cuda12 && PATH=\$PWD/.cache/cuda12/bin:\$PATH scripts/bench"
  for file in "$1"/sys/bus/pci/devices/*/vendor; do
    case $(cat "$file" "${file%vendor}class" 2>/dev/null) in 0x10de*0x03*) gpu=yes ;; esac
  done
  driver=$(cat "$1/sys/module/nvidia/version" 2>/dev/null) || true
  # Windows has the driver of its Linux, and Jetson's GPU is no PCI device.
  if [ -e "$1/dev/dxg" ] || [ -e "$1/etc/nv_tegra_release" ]; then return; fi
  if [ -z "$gpu$driver" ]; then
    say "No NVIDIA GPU is here: copies within this machine's memory will be measured."
    return
  fi
  if find_cuda; then toolkit=$(nvcc --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p'); fi
  oldest=$(requirement driver "$(requirement released cuda)")
  if [ -z "$driver" ] || is_older "$driver" "$oldest"; then
    why=${driver:+Driver $driver is too old}
    why=${why:-NVIDIA\'s driver is not loaded}
    help="install driver $oldest or later"
  elif [ -z "$toolkit" ]; then
    why="There is no nvcc here"
  elif is_older "$toolkit" "$(requirement sources cuda)"; then
    why="nvcc is of CUDA $toolkit, and $(requirement sources cuda) is the oldest that will do"
  else
    oldest=$(requirement driver "${toolkit%%.*}")
    if [ -z "$oldest" ] || ! is_older "$driver" "$oldest"; then return; fi
    why="nvcc is of CUDA $toolkit, whose programs need driver $oldest or later, and driver $driver is here"
  fi
  say "$why: copies within this machine's memory will be measured."
  say "To measure the GPU, $help"
}

is_installed() {
  case $(dpkg-query -W -f='${Status}' "$1" 2>/dev/null) in
    *' installed') return 0 ;;
    *) return 1 ;;
  esac
}

# how_to_install ROOT PACKAGE... : the command of the system whose files are below ROOT, for Debian's packages or what
# stands for them. CMake fetches the libraries that others lack.
how_to_install() {
  # shellcheck source=/dev/null
  case " $(. "$1/etc/os-release" 2>/dev/null && printf '%s %s' "${ID-}" "${ID_LIKE-}") " in
    *' debian '*) printf 'apt-get install %s' "${*:2}" ;;
    *' fedora '*) printf 'dnf install --enablerepo=crb gcc-c++ cmake ninja-build git python3.11' ;;
    *' arch '*) printf 'pacman -S --needed gcc cmake ninja git python' ;;
    *) printf 'install what has g++, CMake, Ninja, Git and Python 3 here' ;;
  esac
}

# do_without PACKAGE... : goes on if only libraries lack, or if programs are there in another way.
do_without() {
  local package program missing=()
  for package; do
    case $package in
      *-dev | fonts-* | python3-venv) continue ;;
      g++) program=c++ ;;
      ninja-build) program=ninja ;;
      *) program=$package ;;
    esac
    command -v "$program" >/dev/null || missing+=("$program")
  done
  [ ${#missing[@]} -eq 0 ] ||
    fail "missing: ${missing[*]}. As root: $(how_to_install / "$@"). Without root: cmake and ninja of pip, or the wheel or the bundle (docs/INSTALL.md)"
  say "Not installed here: $*. CMake fetches the libraries that it does not find."
}

# Debian packages named, where missing.
install_packages() {
  if ! command -v dpkg-query >/dev/null; then do_without "$@"; return; fi
  local missing=() package as_root=() install
  for package; do is_installed "$package" || missing+=("$package"); done
  if [ ${#missing[@]} -eq 0 ]; then return; fi
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then do_without "${missing[@]}"; return; fi
    as_root=(sudo)
  fi
  say "Installing ${missing[*]} ..."
  "${as_root[@]}" apt-get update -qq || say "apt-get update failed; trying with the package lists that are there"
  install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends)
  if "${install[@]}" "${missing[@]}" >/dev/null; then return; fi
  for package in "${missing[@]}"; do
    # One by one, so that the one that fails is known by name.
    "${install[@]}" "$package" >/dev/null ||
      fail "package $package cannot be installed; get it with 'apt-get install $package' (Debian 12, section main)"
  done
}

# Only what is in the requirements, bit by bit (scripts/pin): nothing is built from source, which would
# run code of packages.
install_pinned() {
  local folder=$1
  shift
  "$folder/bin/python" -m pip install -q --disable-pip-version-check --require-hashes \
    --only-binary :all: "$@"
}

# A Python that draws reports; python3 where none does.
find_python() {
  local python version
  version=$(requirement report python)
  for python in python3 python3.{14,13,12,11}; do
    "$python" -c "import sys; sys.exit(sys.version_info < (${version/./, }))" 2>/dev/null || continue
    printf '%s' "$python"
    return
  done
  printf python3
  return 1
}

# A Python environment with the packages of the files given. What is missing is added; where a file
# has changed, the environment is made anew.
make_environment_in() {
  local folder=$1 file marker wanted missing=()
  shift
  for file; do
    marker=$folder/$(tr / - <<<"$file").sha256
    if [ -x "$folder/bin/python" ] && [ -e "$marker" ] && [ "$(cat "$marker")" != "$(sha256sum <"$file")" ]; then
      rm -rf "$folder" 2>/dev/null || fail "$folder is of no use here and cannot be made anew: it belongs to somebody else"
    fi
  done
  for file; do
    marker=$folder/$(tr / - <<<"$file").sha256
    if [ ! -x "$folder/bin/python" ] || [ ! -e "$marker" ]; then missing+=("$file"); fi
  done
  if [ ${#missing[@]} -eq 0 ]; then return; fi
  say "Preparing the Python environment $folder ..."
  if [ ! -x "$folder/bin/python" ]; then
    rm -rf "$folder" 2>/dev/null || fail "$folder is of no use here and cannot be made anew: it belongs to somebody else"
    "$(find_python)" -m venv "$folder" || fail "python3 -m venv failed; get it with 'apt-get install python3-venv'"
  fi
  for file in "${missing[@]}"; do
    install_pinned "$folder" -r "$file" ||
      fail "the Python packages in $file cannot be installed; pip says above which and why"
    wanted=$(sha256sum <"$file")
    printf '%s\n' "$wanted" >"$folder/$(tr / - <<<"$file").sha256"
  done
}

# What draws reports, and what the tests need beyond that.
make_environment() { make_environment_in .venv plots/requirements.txt; }
make_test_environment() { make_environment_in .venv plots/requirements.txt tests/requirements.txt; }

# The header of NVIDIA's management library, for its types; the library comes with the driver.
# Toolkits installed without cuda-nvml-dev lack it. In a folder that outlives .venv, because builds
# go on using it; cmake/Cuda.cmake looks there, too.
get_nvml_header() {
  local toolkit header
  toolkit=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
  for header in "$toolkit"/include/nvml.h .nvml/nvidia/*/include/nvml.h; do
    if [ -e "$header" ]; then return; fi
  done
  install_pinned .venv --retries 1 --timeout 10 --no-deps --target .nvml \
    -r scripts/header-requirements.txt ||
    say "No nvml.h: GPU clocks will not be known; it comes with the package cuda-nvml-dev of the CUDA toolkit"
}

# Configures, with `configure_options`, and builds a preset of CMakePresets.json; further arguments name targets.
configure_options=()
build() {
  local preset=$1
  shift
  local log
  log=$(mktemp)
  if ! cmake --preset "$preset" "${configure_options[@]}" >"$log" 2>&1; then
    cat "$log" >&2
    fail "cmake --preset $preset failed"
  fi
  grep -E '^-- (CUDA|Only the device)' "$log" >&2 || true
  rm -f "$log"
  say "Building (preset $preset) ..."
  cmake --build --preset "$preset" ${1:+--target "$@"} >&2 || fail "the build failed"
}

# A new folder below results/local for what is measured now.
local_results() {
  local machine folder
  machine=$(uname -n | tr '[:upper:]' '[:lower:]' | tr -cs 'a-z0-9.-' '-' | sed 's/^-*//; s/-*$//')
  folder=results/local/${machine:-machine}
  mkdir -p "$folder"
  folder=$folder/$(date -u +%Y-%m-%dT%H-%M-%SZ)
  # Two in one second must not mix.
  mkdir "$folder" 2>/dev/null || folder=$(mktemp -d "$folder-XXXX")
  printf '%s\n' "$folder"
}

# Runs bench_transfers, which ends in good order when it is interrupted, and waits for that. Sets
# `code`.
measure() {
  code=0
  "$@" &
  local program=$!
  trap 'kill -TERM $program 2>/dev/null' TERM
  trap : INT  # the terminal sends it to the program as well, and a second one would end it at once
  # A signal ends the waiting, not the program.
  while true; do
    code=0
    # shellcheck disable=SC2034  # those that source this read it
    wait $program || code=$?
    kill -0 $program 2>/dev/null || break
  done
  trap - INT TERM
}

# chosen_programs PROGRAM... : the folder that TRANSFERS_BIN names, as seen from where the command was
# given, which has these programs.
chosen_programs() {
  local program folder
  # shellcheck disable=SC2154  # `from` is of those that source this
  folder=$(cd "$from" && cd "$TRANSFERS_BIN" 2>/dev/null && pwd) || fail "TRANSFERS_BIN=$TRANSFERS_BIN is no folder"
  for program; do
    [ -x "$folder/$program" ] || fail "TRANSFERS_BIN=$TRANSFERS_BIN has no $program"
  done
  printf '%s\n' "$folder"
}

prepare() {
  find_cuda || build_packages+=(libthrust-dev)
  install_packages "${build_packages[@]}" "${plot_packages[@]}"
  if find_python >/dev/null; then make_environment; else say "No report: drawing needs Python $(requirement report python) or later."; fi
  if find_cuda && [ -x .venv/bin/python ]; then get_nvml_header; fi
}
