# shellcheck shell=sh
# Sourced before the first command: an empty or relative entry of PATH would run programs of the current directory.
safe_path=
set -f
IFS=:
for entry in ${PATH-}; do
  case $entry in /*) safe_path=${safe_path:+$safe_path:}$entry ;; esac
done
unset IFS entry
set +f
PATH=${safe_path:-/usr/local/bin:/usr/bin:/bin}
export PATH
