#!/bin/sh
# Runs a command while the scheduler does not give each session a share of the processors of its own (autogroups,
# sched(7)).
#
# usage: without_autogroups.sh COMMAND [ARGUMENT...]
#
# Each backend of PostgreSQL is a session. With three tests at once on two cores (Linux 6.18), a process in a session
# of its own waited up to 1 s for a processor, and up to 4.5 s if bound to one, which no deadline can tell from a fault;
# without autogroups none waited 0.1 s. The setting is the machine's: root alone may change it, and it is set back at
# the end. Processes in a cgroup with a share of its own, as systemd's services are, have no autogroups anyway.
set -u
setting=/proc/sys/kernel/sched_autogroup_enabled

if [ $# -eq 0 ] || [ "$1" = --help ]; then
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
  [ $# -gt 0 ]
  exit
fi
if [ "$(cat "$setting" 2>/dev/null)" = 1 ]; then
  if echo 0 2>/dev/null >"$setting"; then
    trap 'echo 1 >"$setting"' EXIT
    trap 'exit 130' INT TERM
  else
    echo "without_autogroups: still on; if tests miss deadlines: sudo sysctl kernel.sched_autogroup_enabled=0" >&2
  fi
fi
"$@"
