# shellcheck shell=bash
# Sourced by the scripts beside it, before their first command.
. "${BASH_SOURCE[0]%/*}/safe_path.sh"
# Slurm gives prologs no PATH.
PATH+=:/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin:/opt/slurm/bin
# What the environment says to bash is not meant for these.
set +o posix
SECONDS=0

# whole_number NAME [LEAST]: whether the variable is a whole number in digits, at least LEAST and below 1000000000.
# It is decimal from then on: shell takes 010 for 8.
whole_number() {
  case ${!1-} in
    '' | *[!0123456789]* | ??????????*) return 1 ;;
  esac
  printf -v "$1" '%d' $((10#${!1}))
  [ "${!1}" -ge "${2:-0}" ]
}

# Whose files are trusted: root's, the caller's, and those of the owner of these scripts, who could change them.
# Where a user namespace has no number for root, its files are the overflow user's.
roots_users=(0)
if [ -r /proc/self/uid_map ] && ! grep -q '^ *[0-9]* *0 ' /proc/self/uid_map; then
  roots_users+=("$(</proc/sys/kernel/overflowuid)")
fi
trusted_users=("${roots_users[@]}" "$EUID" "$(stat -Lc %u -- "${BASH_SOURCE[0]}")")
# is_among WORD WORDS...
is_among() { case " ${*:2} " in *" $1 "*) ;; *) return 1 ;; esac; }

# not_trusted PATH: prints the entry on the way to it, from the root on, that is missing, that belongs to nobody who is
# trusted, or that others may write to; nothing if there is none (src/common/trusted_path.hpp has the rule).
not_trusted() {
  local rest=$1 folder=/ entry=/ links=0 owner group mode target name open
  case $rest in /*) ;; *) rest=$PWD/$rest ;; esac
  while true; do
    read -r owner group mode < <(stat -c '%u %g %f' -- "$entry" 2>/dev/null) || { printf '%s\n' "$entry"; return; }
    mode=$((16#$mode))
    open=$((mode & 8#22))
    # The user's own group may write.
    if [ "$owner" -eq "$group" ] && ! is_among "$owner" "${roots_users[@]}"; then open=$((mode & 8#2)); fi
    if ! is_among "$owner" "${trusted_users[@]}"; then printf '%s\n' "$entry"; return; fi
    case $((mode & 8#170000)) in
      $((8#120000))) # a link
        target=$(readlink -- "$entry")
        if ((++links > 40)); then printf '%s\n' "$entry"; return; fi
        case $target in /*) folder=/ ;; esac
        rest=$target/$rest
        ;;
      $((8#040000)))
        # Of a sticky folder only the owner of an entry can exchange it.
        if ((open && !(mode & 8#1000))); then printf '%s\n' "$entry"; return; fi
        folder=$entry
        ;;
      *)
        if ((open)); then printf '%s\n' "$entry"; return; fi
        folder=$entry
        ;;
    esac
    while case $rest in /*) true ;; *) false ;; esac; do rest=${rest#/}; done
    [ -n "$rest" ] || return 0
    name=${rest%%/*}
    rest=${rest#"$name"}
    case $name in
      .) entry=$folder ;;
      ..) folder=${folder%/*}; folder=${folder:-/}; entry=$folder ;;
      *) entry=${folder%/}/$name ;;
    esac
  done
}

# What a script starts ends with it, also when it is killed: another process waits until nobody has the script's end
# of a pipe any more, and ends the groups or processes that were started and have not ended.
watch() {
  local word process signal
  local -A running=()
  while read -r word process; do
    case $word in
      started) running[$process]=1 ;;
      ended) unset "running[$process]" ;;
    esac
  done
  [ ${#running[@]} -gt 0 ] || return
  for signal in TERM KILL; do
    for process in "${!running[@]}"; do kill -$signal -- "-$process" || kill -$signal "$process"; done
    sleep 0.3
  done
}
# In a session of its own, which what ends the script does not end.
exec {lifeline}> >(exec setsid "$BASH" -pc "$(declare -f watch); watch" >/dev/null 2>&1)

# What a broken driver holds cannot be ended, so it is not waited for for long.
end() {
  local i
  exec {lifeline}>&-
  for ((i = 0; i < 20; i++)); do
    [ -n "$(jobs -pr)" ] || break
    sleep 0.05
  done
  exit "$1"
}
trap 'end 129' HUP
trap 'end 130' INT
trap 'end 143' TERM

# start COMMAND...: in the background; `started` is its process.
start() {
  ( echo "started $BASHPID" >&"$lifeline"; exec "$@" {lifeline}>&- ) &
  started=$!
}
# waited PROCESS: waits for its end, and returns its exit code. Bash would say what killed it.
waited() {
  local code=0
  { wait "$1" || code=$?; } 2>/dev/null
  # A signal ends the waiting, not the process.
  kill -0 "$1" 2>/dev/null || echo "ended $1" >&"$lifeline"
  return "$code"
}

# attended COMMAND...: runs it, and returns its exit code.
attended() {
  start "$@"
  waited "$started"
}

# hear COMMAND...: runs it with its output in `said`, and returns its exit code. In $(...) it would have another
# shell above it, which outlives the script; and bash 5.2 may wait for ever for the process of a <(...) that has ended.
hear() {
  local file written output code=0
  file=$(mktemp) || return
  exec {written}>"$file"
  exec {output}<"$file"
  rm -f -- "$file"
  ( echo "started $BASHPID" >&"$lifeline"; exec "$@" {lifeline}>&- {output}<&- >&"$written" {written}>&- ) &
  exec {written}>&-
  waited $! || code=$?
  IFS= read -r -d '' said <&"$output"
  said=${said%$'\n'}
  exec {output}<&-
  return "$code"
}

# take_place NEW OLD: puts a file in the place of another, with its owner, group and mode as far as it can have them: one
# of the caller's own may replace what the caller may write to. A link is replaced.
take_place() {
  local owner mode why=
  if [ -e "$2" ] && [ ! -L "$2" ]; then
    read -r owner mode < <(stat -c '%u %a' -- "$2")
    printf -v mode '%03o' $((8#$mode & 8#777))
    if [ "$owner" -ne "$EUID" ] && ! chown "$owner" -- "$1" 2>/dev/null && [ ! -w "$2" ]; then
      why="it belongs to another user, and this one may not write to it"
    fi
    # Who is in the group of a new file that cannot have the old one's was one of the others before.
    chgrp --reference="$2" -- "$1" 2>/dev/null || mode=${mode::1}${mode:2}${mode:2}
    chmod "$mode" -- "$1"
  fi
  if [ -z "$why" ] && why=$(mv -fT -- "$1" "$2" 2>&1); then return; fi
  echo "${0##*/}: cannot write $2: $why" >&2
  return 1
}
