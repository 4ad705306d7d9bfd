# shellcheck shell=bash disable=SC2034,SC2154  # names for and from those that source this
# Sourced by setup.sh: what a script is asked and told, which it looks at before anything is
# installed or built.

# The programs' options, which a test holds against the programs. `=` takes a value, which may also
# be the next argument, `=...` any number of them; a value of the others stands behind a `=`.
bench_options=(--device= --profile= --sizes= --cold-sizes= --cache= --strategies=... --concurrent=... --seed= --list
  --max-time= --resume= --out= --label= --note= --quiet --inject=... --v=
  # Google Benchmark's
  --benchmark_color --benchmark_context --benchmark_counters_tabular
  --benchmark_display_aggregates_only --benchmark_enable_random_interleaving --benchmark_filter=
  --benchmark_format= --benchmark_list_tests --benchmark_min_time= --benchmark_min_warmup_time=
  --benchmark_out= --benchmark_out_format= --benchmark_perf_counters --benchmark_repetitions=
  --benchmark_report_aggregates_only --benchmark_time_unit)
gate_options=(--threshold= --latency-threshold= --false-alarm= --looks= --decide-by=... --allow-missing= --allow-different=...
  --confirm= --all --dry-run --markdown= --junit= --json=)

# The comment that the script begins with.
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$root/scripts/${0##*/}"; }

version() {
  local number commit
  number=$(sed -n 's/^project(.* VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
  commit='no commit known'
  # An archive unpacked within somebody's repository is none of its commits.
  if [ "$(git -C "$root" rev-parse --show-toplevel 2>/dev/null)" = "$(cd "$root" && pwd -P)" ]; then
    commit=$(git -C "$root" describe --always --dirty)
  fi
  printf 'bench_transfers %s (%s)\n' "$number" "$commit"
}

# Ends the script where --help or --version is among the arguments.
answer_questions() {
  local argument
  for argument; do
    case $argument in
      --) return ;;
      -h | --help) usage; exit 0 ;;
      --version) version; exit 0 ;;
    esac
  done
}

# check_options OPTION... [FILE] -- ARGUMENT...
# Ends the script with one line where an argument is none of the options, or an option lacks its
# value. With FILE, arguments that are none are added to `files`.
check_options() {
  local options=() argument option name='' takes=nothing
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  for argument; do
    case $takes,$argument in
      one,*) takes=nothing; continue ;;
      first,*) takes=several; continue ;;
      several,--) takes=nothing; continue ;;
      several,-*) ;;
      several,*) continue ;;
    esac
    takes=nothing
    for option in "${options[@]}"; do
      name=${option%%=*}
      case $argument,$option in
        "$name",*=...) takes=first; continue 2 ;;
        "$name",*=) takes=one; continue 2 ;;
        "$name="*,*=...) takes=several; continue 2 ;;
        "$name",* | "$name="*) continue 2 ;;
        -*,*) ;;
        *,FILE) files+=("$argument"); continue 2 ;;
      esac
    done
    fail "unknown argument $(quoted "$argument") (see --help)"
  done
  case $takes in one | first) fail "$name needs a value" ;; esac
}
