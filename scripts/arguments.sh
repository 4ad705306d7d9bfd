# shellcheck shell=bash disable=SC2034,SC2154  # names for and from those that source this
# Sourced by setup.sh: what a script is asked and told, which it looks at before anything is
# installed or built.

# The programs' options, which a test holds against the programs. `=` takes a value, which may also
# be the next argument, `=...` any number of them; a value of the others stands behind a `=`.
bench_options=(--device= --profile= --sizes= --cold-sizes= --cache= --strategies=... --concurrent=... --seed= --list --processes=
  --max-time= --resume= --out= --label= --note= --brief --quiet --inject=... --v=
  # Google Benchmark's
  --benchmark_color --benchmark_context --benchmark_counters_tabular
  --benchmark_display_aggregates_only --benchmark_enable_random_interleaving --benchmark_filter=
  --benchmark_format= --benchmark_list_tests --benchmark_min_time= --benchmark_min_warmup_time=
  --benchmark_out= --benchmark_out_format= --benchmark_perf_counters --benchmark_repetitions=
  --benchmark_report_aggregates_only --benchmark_time_unit)
gate_options=(--threshold= --latency-threshold= --false-alarm= --looks= --look-runs= --decide-by=... --allow-missing= --allow-different=...
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

# nearest WORD NAME...
# The name that may be meant: the one with the fewest letters to change, add or take away, as the programs
# choose it (src/common/nearest.cpp). Nothing where none is alike.
nearest() {
  local word=$1
  shift
  printf '%s\n' "$@" | WORD=$word LC_ALL=C awk '
    function least(a, b) { return a < b ? a : b }
    function distance(a, b,    row, i, j, diagonal, exchanged) {
      for (j = 0; j <= length(b); ++j) row[j] = j
      for (i = 1; i <= length(a); ++i) {
        diagonal = row[0]++
        for (j = 1; j <= length(b); ++j) {
          exchanged = diagonal + (substr(a, i, 1) != substr(b, j, 1))
          diagonal = row[j]
          row[j] = least(exchanged, least(row[j - 1], row[j]) + 1)
        }
      }
      return row[length(b)]
    }
    BEGIN { word = ENVIRON["WORD"]; most = int(length(word) / 3); if (most < 1) most = 1 }
    { edits = distance(word, $0) }
    edits <= most { most = edits - 1; meant = $0 }
    END { print meant }'
}

# fail_unknown ARGUMENT OPTION...
# Ends the script with one line, which names the option that may be meant.
fail_unknown() {
  local argument=$1 meant
  shift
  meant=$(nearest "${argument%%=*}" "${@%%=*}" --help --version 2>/dev/null) || meant=
  fail "unknown argument $(quoted "$argument")${meant:+: did you mean $meant?} (see --help)"
}

# require_file FILE
# Ends the script with one line where this file, as seen from where the command was given, cannot be of use.
require_file() (
  cd "$from" || exit 2
  [ -e "$1" ] || fail "$(quoted "$1"): No such file"
  [ -r "$1" ] || fail "$(quoted "$1"): it cannot be read"
  if [ -f "$1" ] && [ ! -s "$1" ]; then fail "$(quoted "$1"): it is empty"; fi
)

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
    fail_unknown "$argument" "${options[@]}"
  done
  case $takes in one | first) fail "$name needs a value" ;; esac
}
