# shellcheck shell=bash
# Sourced by bench/runs.sh: what is counted while runs are made and ended.

# Queued and running runs.
waiting_query='SELECT count(*) FROM run_queue'
# With `--rate max` triggers pause while more runs than this are not ended, so that the queue does not grow: those that
# the runners hold, and as many again.
most_waiting() { echo $((2 * runners * slots)); }

# Outputs that have not been moved to PostgreSQL yet.
moving_query="SELECT count(*) FROM run_output WHERE stored_at IS NULL"

# none_left SERVICE QUERY: waits until the query counts nothing.
none_left() {
  for _ in $(seq 3000); do
    [ "$(sql "$1" "$2")" -gt 0 ] || return 0
    sleep 0.1
  done
  echo "runs.sh: runs are left" >&2
  exit 1
}

# watch_backlog SERVICE PID: while the load client lives, $temporary/backlog gets the runs that have not ended.
watch_backlog() {
  local name=$1 loading=$2 most watching
  most=$(most_waiting)
  : >"$temporary/backlog"
  printf '%s \\watch 0.5\n' "$waiting_query" | tr '\n' ' ' |
    psql -qAtX "$(dev_value "$name" .postgresUrl)" 2>/dev/null | while read -r count; do
    [[ $count =~ ^[0-9]+$ ]] || continue
    echo "$count" >>"$temporary/backlog"
    [ "$rate" != max ] || kill "-$([ "$count" -gt "$most" ] && echo STOP || echo CONT)" "$loading" 2>/dev/null || break
  done &
  watching=$!
  while [[ $(cut -d' ' -f3 "/proc/$loading/stat" 2>/dev/null) == [^Z] ]]; do sleep 0.2; done
  kill "$watching" 2>/dev/null || true
}

# cpu_of PID...: CPU seconds of each; of `PID+` also those of its children, including ended ones.
cpu_of() {
  local pid
  for pid in "$@"; do
    { cat /proc/[0-9]*/stat 2>/dev/null || true; } | sed 's/^\([0-9]*\) (.*) /\1 /' |
      awk -v pid="${pid%+}" -v all="$([ "${pid%+}" = "$pid" ] || echo 1)" -v hz="$(getconf CLK_TCK)" '
        $1 == pid { t += $13 + $14 + (all ? $15 + $16 : 0) }
        all && $3 == pid { t += $13 + $14 }
        END { printf "%.2f ", t / hz }'
  done
}

# Bytes of WAL; commits, row versions written, those of them that touched no index (HOT), syncs and page images of WAL;
# Redis's commands, those of scripts among them.
counted() {
  sql "$1" "SELECT pg_current_wal_insert_lsn() - '0/0', xact_commit, v.written, v.hot, w.wal_sync, w.wal_fpi
    FROM pg_stat_database, pg_stat_wal w,
         (SELECT sum(n_tup_ins + n_tup_upd) AS written, sum(n_tup_hot_upd) AS hot FROM pg_stat_user_tables) v
   WHERE datname = 'svc'" | tr '|\n' '  '
  redis-cli -s "$(dev_value "$1" .redisUrl | sed 's/^unix://')" INFO stats | sed -n 's/^total_commands_processed:\([0-9]*\).*/\1/p'
}

# Sessions of PostgreSQL report what they counted within ten seconds of idleness; nginx's floor is measured meanwhile.
settle_with_nginx() {
  local end=$((SECONDS + 11))
  measure_nginx
  while [ $SECONDS -lt $end ]; do sleep 0.2; done
}

# report SERVICE NAME START LOADED END CPU_BEFORE CPU_AFTER COUNTS_BEFORE: appends to $results.
report() {
  settle_with_nginx
  kill "$noop"
  wait "$noop" || true
  jq -nc --arg name "$2" --argjson began "$3" --argjson loaded "$4" --argjson ended "$5" --arg before "$6" \
    --arg after "$7" --arg counts "$8" --arg counts_after "$(counted "$1")" \
    --slurpfile load "$temporary/load.json" --slurpfile noop "$temporary/noop.json" --slurpfile backlog "$temporary/backlog" '
    def numbers: split(" ") | map(select(. != "") | tonumber);
    def change($from; $to): [($from | numbers), ($to | numbers)] | transpose | map(.[1] - .[0]);
    ($noop[-1]) as $ends | $ends.completed as $runs | ($ended - $began) as $seconds
    | (change($before; $after) | map(. * 1e6 / $runs)) as $cpu | change($counts; $counts_after) as $counted
    | {name: $name, runs: $runs, refused: $ends.refused, claimed: $ends.claimed, per_second: ($runs / $seconds),
       drained_seconds: ($ended - $loaded),
       triggers_per_second: $load[0].per_second, trigger_p50_us: $load[0].p50_us, trigger_p99_us: $load[0].p99_us,
       client_us: (($load[0].client_us // 0) * $load[0].requests / $runs),
       cpu_us: {svcd: $cpu[0], redis: $cpu[1], postgres: $cpu[2], runners: $cpu[3], sum: ($cpu | add)},
       wal_bytes: ($counted[0] / $runs), transactions_per_second: ($counted[1] / $seconds),
       heap_versions: ($counted[2] / $runs), hot: ($counted[3] / $runs), wal_syncs_per_second: ($counted[4] / $seconds),
       page_images: ($counted[5] / $runs), redis_commands: ($counted[6] / $runs),
       queued_to_claimed_ms: $ends.queuedToClaimedMs, complete_ms: $ends.completeMs,
       backlog_most: ($backlog | max)}' >>"$results"
  [ "$statements" = 0 ] || show_statements "$1" "$2" "$(jq -s '.[-1].completed' "$temporary/noop.json")"
}

# show_statements SERVICE NAME RUNS
show_statements() {
  echo "$2: µs a run, calls, mean ms, rows a call, blocks a call, text"
  sql "$1" "SELECT round(total_exec_time * 1000 / $3) || ' ' || calls || ' ' || round(mean_exec_time::numeric, 2) || ' ' ||
              round(rows::numeric / calls, 1) || ' ' || (shared_blks_hit + shared_blks_read) / calls || ' ' ||
              left(regexp_replace(query, '\\s+', ' ', 'g'), 90)
              FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT $statements"
}
