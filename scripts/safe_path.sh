# shellcheck shell=sh
# Sourced before the first command: an empty or relative entry of PATH would run programs of the current directory, and
# one of LD_LIBRARY_PATH would load libraries from there.
# absolute_entries LIST SEPARATORS: sets `entries`.
absolute_entries() {
  entries=
  set -f
  IFS=$2
  for entry in $1; do
    case $entry in /*) entries=${entries:+$entries:}$entry ;; esac
  done
  unset IFS entry
  set +f
}
absolute_entries "${PATH-}" :
PATH=${entries:-/usr/local/bin:/usr/bin:/bin}
export PATH
if [ -n "${LD_LIBRARY_PATH+set}" ]; then
  absolute_entries "$LD_LIBRARY_PATH" ':;'
  LD_LIBRARY_PATH=$entries
  [ -n "$entries" ] || unset LD_LIBRARY_PATH
fi
unset entries
