#!/bin/bash -p
# Slurm's prolog and epilog: drains a node whose links got slower. In slurm.conf:
#
#   Prolog=/opt/transfers/integrations/slurm/node_check.sh
#   Epilog=/opt/transfers/integrations/slurm/node_check.sh
#   PrologFlags=Alloc
#   SchedulerParameters=nohold_on_prolog_fail
#
# Both ask ../node_check, whose head says what it does. As prolog it keeps the job away from a slow node: Slurm
# starts it elsewhere, because of nohold_on_prolog_fail. Whatever else is wrong, the job starts.
set -u
# Sites link to it.
here=$(PATH=/usr/bin:/bin LD_LIBRARY_PATH='' readlink -f "${BASH_SOURCE[0]}")
here=${here%/*}
. "$here/../common.sh" || exit 0

# Another job's copies would look like a slow link. Anybody can name a process like one of Slurm, but not as root.
job=${SLURM_JOB_ID:-}
whole_number job || job=0
other_jobs() {
  pgrep -U 0 -a slurmstepd | sed -n 's/^[0-9]* slurmstepd: \[\([0-9]*\)\..*/\1/p' | grep -qvx "$job"
}
if other_jobs; then exit 0; fi

# shellcheck disable=SC2016  # of that shell
hear "$BASH" -pc 'exec "$0" 2>&1' "$here/../node_check"
code=$?
reason=$(sed -n '/^node_check: /p' <<<"$said" | tail -n 1)
: "${reason:="node_check: no answer, exit code $code: ${said:-it said nothing}"}"
[ $code -eq 0 ] || logger -t transfers -- "${reason//$'\n'/ }" 2>/dev/null
# A shell that gives up ends with 1, too.
case "$code $reason" in "1 node_check: slower "*) ;; *) exit 0 ;; esac
# Without this, the reason would be 'Prolog error'.
scontrol update "NodeName=${SLURMD_NODENAME:?}" State=DRAIN "Reason=$reason"
# An epilog has no job to keep away.
case ${SLURM_SCRIPT_CONTEXT:-} in prolog*) exit 1 ;; *) exit 0 ;; esac
