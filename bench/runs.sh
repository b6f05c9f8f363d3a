#!/bin/bash
# Measures from a trigger to the end of its run: the release build, triggers at a fixed rate (open loop) or as many as
# its runners can complete, and runners that complete each run without executing it. bench/README.md explains the numbers.
set -euo pipefail
cd "$(dirname "$0")/.."

rate=200 seconds=20 runners=4 slots=250 connections=64 statements=0 build=yes rounds=1 kinds='empty realistic'
history=0 svcd=build/release/bin/svcd
usage="usage: bench/runs.sh [--rate $rate|max] [--seconds $seconds] [--runners $runners] [--slots $slots each]
       [--connections $connections] [--statements N to show the N most expensive] [--build $build|no]
       [--rounds $rounds] [--kinds '$kinds'] [--history N ended runs in a second service] [--svcd PATH]"
. bench/common.sh
. bench/service.sh
. bench/history.sh
. bench/runs_counts.sh
read_options "rate seconds runners slots connections statements build rounds kinds history svcd" "$@"
prepare
ulimit -n "$(ulimit -Hn)"
bin=build/release/bin
[ "$build" = no ] || build svcd svc-runner bench_rate bench_load
mkdir -p bench/results
results=bench/results/$(date -u +%Y%m%dT%H%M%SZ)-runs.jsonl

# add_service NAME: its projects `bench` have jobs of one test, `realistic` those of two. The runner that `svcd dev`
# starts is killed; ours use its socket and token.
add_service() {
  start_service "$1" "$svcd" 1
  kill "$(dev_value "$1" .pids.runner)"
  mkdir "$temporary/$1/ask/realistic"
  bench/seed.py "$temporary/$1.json" "$temporary/$1/ask/realistic" --tests 2 --name realistic
}

# start_runners SERVICE KIND: leaves noop, their process; what they counted goes to $temporary/noop.json.
start_runners() {
  local options=(--noop "$runners") socket
  socket=$(sed -n "s/^url = '\(.*\)'/\1/p" "$(dev_value "$1" .dataDir)/runner.toml")
  [ "$2" = empty ] || options+=("--$2")
  SVC_RUNNER_URL=$socket SVC_RUNNER_TOKEN_FILE=$(dev_value "$1" .dataDir)/runner.token SVC_RUNNER_NAME=noop \
    SVC_RUNNER_CONCURRENCY=$slots "$bin/svc-runner" "${options[@]}" >"$temporary/noop.json" 2>>"$temporary/noop.log" &
  noop=$!
  started+=("$noop")
}

# load SERVICE KIND RATE SECONDS
load() {
  local file=trigger
  [ "$2" = empty ] || file=realistic/trigger
  local options=(--name runs --url "$(dev_value "$1" .url)/" --ca "$(dev_value "$1" .caFile)" --requests "$(asks "$1" $file)"
    --connections "$connections" --seconds "$4")
  if [ "$3" = max ]; then
    exec "$bin/bench_load" "${options[@]}" --expect 202 --warmup 0
  else
    exec "$bin/bench_rate" "${options[@]}" --rate "$3"
  fi
}

measure_nginx() {
  "$bin/bench_load" --name nginx --url "$nginx_url" --ca "$(dev_value service .caFile)" --seconds 3 --role "nginx=$nginx_pid+" \
    >>"$results"
}

# measure SERVICE KIND: one line of $results.
measure() {
  local name="run, $2" pids before after counts start loaded ended loading
  [ "$1" = service ] || name+=" ($1)"
  start_runners "$1" "$2"
  pids=("$(dev_value "$1" .pids.svcd)" "$(dev_value "$1" .pids.redis)" "$(cat "$temporary/$1/postgres.pid")+" "$noop")
  # Each key is used once, and plans, caches and connections are as in a service that has run for a while.
  (load "$1" "$2" 300 5) >/dev/null
  none_left "$1" "$waiting_query"
  sql "$1" 'VACUUM ANALYZE'
  settle_with_nginx
  kill -USR1 "$noop" # the runners count from here
  [ "$statements" = 0 ] || sql "$1" 'SELECT pg_stat_statements_reset()' >/dev/null
  counts=$(counted "$1") before=$(cpu_of "${pids[@]}") start=$(date +%s.%N)
  (load "$1" "$2" "$rate" "$seconds") >"$temporary/load.json" &
  loading=$!
  started+=("$loading")
  watch_backlog "$1" "$loading"
  wait "$loading"
  loaded=$(date +%s.%N)
  none_left "$1" "$waiting_query"
  ended=$(date +%s.%N)
  none_left "$1" "$moving_query" # is a part of what a run costs
  after=$(cpu_of "${pids[@]}")
  report "$1" "$name" "$start" "$loaded" "$ended" "$before" "$after" "$counts"
}

add_service service
services=(service)
if [ "$history" != 0 ]; then
  add_service history
  services+=(history)
  fill_history history "$history"
fi
start_nginx service
for _ in $(seq "$rounds"); do
  for kind in $kinds; do
    for name in "${services[@]}"; do measure "$name" "$kind"; done
  done
done
bench/runs_table.py "$results"
echo "lines: $results"
