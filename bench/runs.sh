#!/bin/bash
# Measures from a trigger to the end of its run: the release build, triggers at a fixed rate (open loop), and runners
# that complete each run without executing it. bench/README.md explains the numbers.
set -euo pipefail
cd "$(dirname "$0")/.."

rate=200 seconds=20 runners=4 slots=250 connections=64 statements=0 build=yes
usage="usage: bench/runs.sh [--rate $rate] [--seconds $seconds] [--runners $runners] [--slots $slots each]
       [--connections $connections] [--statements N to show the N most expensive] [--build $build|no]"
. bench/common.sh
read_options "rate seconds runners slots connections statements build" "$@"
prepare
bin=build/release/bin
[ "$build" = no ] || build svcd svc-runner bench_rate

told() { jq -r "$1" "$temporary/dev.json"; }
sql() { psql -qAtX "$(told .postgresUrl)" -c "$1"; }
owner_sql() { psql -qAtX "$(told .postgresUrl | sed 's/svc_app@/svc_owner@/')" -c "$1"; }
now() { date +%s.%N; }
# CPU seconds of a process; with `PID+` also those of its children, including ended ones.
cpu() {
  { cat /proc/[0-9]*/stat 2>/dev/null || true; } | sed 's/^\([0-9]*\) (.*) /\1 /' |
    awk -v pid="${1%+}" -v all="$([ "${1%+}" = "$1" ] || echo 1)" -v hz="$(getconf CLK_TCK)" '
      $1 == pid { t += $13 + $14 + (all ? $15 + $16 : 0) }
      all && $3 == pid { t += $13 + $14 }
      END { printf "%.2f", t / hz }'
}

# The limits are too high to be reached, as in bench/run.sh.
SVC_LIMITS_TRIGGER_DEFAULT_LIMIT=10000000 SVC_LIMITS_TRIGGER_DEFAULT_WINDOW=1 SVC_REDIS_DEADLINE=1000ms \
  SVC_QUOTAS_QUEUED_RUNS=0 \
  "$bin/svcd" dev --data-dir "$temporary/dev" --listen 127.0.0.1:0 --admin 127.0.0.1:0 --print json \
  >"$temporary/dev.json" 2>"$temporary/dev.log" &
started+=($!)
for _ in $(seq 600); do
  [ ! -s "$temporary/dev.json" ] || break
  sleep 0.1
done
[ -s "$temporary/dev.json" ] || { cat "$temporary/dev.log" >&2; exit 1; }
# The runner of `svcd dev` is killed; our runners use its socket and token.
kill "$(told .pids.runner)"
socket=$(sed -n "s/^url = '\(.*\)'/\1/p" "$(told .dataDir)/runner.toml")

# PostgreSQL of `svcd dev` has settings for a laptop: it is restarted with those of a server.
restart_postgres() {
  local pid user group arguments
  pid=$(told .pids.postgres)
  user=$(stat -c %u "/proc/$pid") group=$(stat -c %g "/proc/$pid")
  mapfile -d '' arguments <"/proc/$pid/cmdline"
  kill -INT "$pid"
  while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
  local as=()
  [ "$(id -u)" = "$user" ] || as=(setpriv --reuid="$user" --regid="$group" --clear-groups)
  (cd / && exec "${as[@]}" "${arguments[@]}" -c shared_buffers=1GB -c max_wal_size=8GB) >"$temporary/postgres.log" 2>&1 &
  postgres=$!
  started=("$postgres" "${started[@]}")
  for _ in $(seq 100); do
    ! sql 'SELECT 1' >/dev/null 2>&1 || return 0
    sleep 0.1
  done
  cat "$temporary/postgres.log" >&2
  exit 1
}
restart_postgres

SVC_RUNNER_URL=$socket SVC_RUNNER_TOKEN_FILE=$(told .dataDir)/runner.token SVC_RUNNER_NAME=noop \
  SVC_RUNNER_CONCURRENCY=$slots "$bin/svc-runner" --noop "$runners" >"$temporary/noop.json" 2>"$temporary/noop.log" &
noop=$!
started+=("$noop")

roles=(svcd redis postgres runners)
pids=("$(told .pids.svcd)" "$(told .pids.redis)" "$postgres+" "$noop")
load() { # load NAME RATE SECONDS
  "$bin/bench_rate" --name "$1" --url "$(told .url)/api/jobs/$(told .jobId)/trigger" --ca "$(told .caFile)" \
    --header "Authorization: Bearer $(told .triggerKey)" --rate "$2" --seconds "$3" --connections "$connections"
}
# Answered by the indexes of queued and running runs, so that the query costs almost nothing.
waiting() {
  sql "SELECT (SELECT count(*) FROM runs WHERE status = 'queued' AND NOT limited)
            + (SELECT count(*) FROM runs WHERE status = 'running')"
}
drain() {
  for _ in $(seq 1200); do
    [ "$(waiting)" -gt 0 ] || return 0
    sleep 0.1
  done
  echo "runs.sh: runs are left" >&2
  exit 1
}
# commits, syncs and bytes of the write-ahead log so far
counted() { sql "SELECT xact_commit || ' ' || (SELECT wal_sync || ' ' || wal_bytes FROM pg_stat_wal) FROM pg_stat_database WHERE datname = 'svc'"; }

# Warms up plans, caches and connections as in a service that has run for a while: plans made for empty tables are
# kept until the first ANALYZE, which PostgreSQL runs by itself after a minute.
load warm-up 300 10 >/dev/null
drain
owner_sql 'VACUUM ANALYZE'
load warm-up 200 3 >/dev/null
drain
kill -USR1 "$noop" # counts from here
[ "$statements" = 0 ] || owner_sql 'CREATE EXTENSION IF NOT EXISTS pg_stat_statements; SELECT pg_stat_statements_reset()' >/dev/null

before=() after=()
for pid in "${pids[@]}"; do before+=("$(cpu "$pid")"); done
read -r commits syncs bytes <<<"$(counted)"
start=$(now)
load runs "$rate" "$seconds" >"$temporary/load.json" &
loading=$!
(while sleep 2; do waiting; done) >"$temporary/backlog" &
looking=$!
wait "$loading"
loaded=$(now)
kill "$looking"
drain
drained=$(now)
for pid in "${pids[@]}"; do after+=("$(cpu "$pid")"); done
unmoved=$(sql "SELECT count(*) FROM run_output WHERE stored_at IS NULL")
sleep 1
read -r commits_after syncs_after bytes_after <<<"$(counted)"
kill "$noop"
wait "$noop" || true
runs=$((rate * seconds))
ended=$(sql "SELECT count(*) || ' passed, ' || count(*) FILTER (WHERE attempt > 1) || ' claimed again' FROM runs WHERE status = 'passed'")

echo "$rate triggers/s for $seconds s, $runners runners with $slots slots each"
jq -r '"triggers: \(.per_second)/s answered, p50 \(.p50_us / 100 | round / 10) ms, p99 \(.p99_us / 100 | round / 10) ms from when each was due"' "$temporary/load.json"
jq -rs '.[-1] | "queued to claim answered: \(.queuedToClaimedMs)", "complete: \(.completeMs), refused \(.refused), \(.claimAnswers) answers to claims"' "$temporary/noop.json"
echo "runs: $ended; not ended every 2 s: $(paste -sd " " "$temporary/backlog"); outputs not yet moved at the end: $unmoved"
awk -v runs="$runs" -v start="$start" -v loaded="$loaded" -v drained="$drained" -v c="$((commits_after - commits))" \
  -v s="$((syncs_after - syncs))" -v b="$((bytes_after - bytes))" 'BEGIN {
    t = drained - start
    printf "%.0f runs/s from the first trigger to the last end (%.1f s), drained %.1f s after the load\n", runs / t, t, drained - loaded
    printf "PostgreSQL: %.0f transactions/s, %.0f WAL syncs/s, %.0f WAL bytes a run\n", c / t, s / t, b / runs }'
for i in "${!roles[@]}"; do
  awk -v name="${roles[i]}" -v runs="$runs" -v t="$(awk -v a="$start" -v b="$drained" 'BEGIN { print b - a }')" \
    -v used="$(awk -v a="${after[i]}" -v b="${before[i]}" 'BEGIN { print a - b }')" \
    'BEGIN { printf "CPU %s: %.0f µs a run, %.0f %% of a core\n", name, used / runs * 1e6, used / t * 100 }'
done
[ "$statements" = 0 ] || {
  echo "statements: µs a run, calls, mean ms, rows a call, text"
  owner_sql "SELECT round(total_exec_time * 1000 / $runs) || ' ' || calls || ' ' || round(mean_exec_time::numeric, 2) || ' ' ||
               round(rows::numeric / calls, 1) || ' ' || left(regexp_replace(query, '\\s+', ' ', 'g'), 90)
               FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT $statements"
}
