#!/usr/bin/env bash
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
# Slurm gives prologs no PATH.
PATH=${PATH:+$PATH:}/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin:/opt/slurm/bin
export PATH
# Sites link to it.
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")

# Another job's copies would look like a slow link.
other_jobs() {
  pgrep -a slurmstepd | sed -n 's/^[0-9]* slurmstepd: \[\([0-9]*\)\..*/\1/p' | grep -qvx "${SLURM_JOB_ID:-0}"
}
if other_jobs; then exit 0; fi

said=$("$here/../node_check" 2>&1)
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
