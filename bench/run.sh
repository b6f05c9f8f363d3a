#!/bin/bash
# Measures the release build against nginx's static answer and a Node service, side by side in one run.
# bench/README.md explains the numbers. Requires tools/install_dependencies.sh --bench.
set -euo pipefail
cd "$(dirname "$0")/.."

rounds=5 seconds=3 connections=64 idle=5000 viewers=100 only='' against='' svcd=build/release/bin/svcd history=0 peer=yes
usage="usage: bench/run.sh [--rounds $rounds] [--seconds $seconds] [--connections $connections] [--idle $idle] [--viewers $viewers]
       [--only REGEX of measurements] [--svcd PATH] [--against PATH of another svcd, measured in the same run]
       [--history N ended runs in a second service beside the empty one] [--peer $peer|no]"
. bench/common.sh
. bench/service.sh
. bench/peer.sh
. bench/history.sh
read_options "rounds seconds connections idle viewers only svcd against history peer" "$@"
prepare # everything that is started ends with the script
if [ "$peer" = yes ] && ! has_node; then
  echo "run.sh: the Node service is left out, it needs Node 20 and npm" >&2
  peer=no
fi
ulimit -n "$(ulimit -Hn)"

results=bench/results/$(date -u +%Y%m%dT%H%M%SZ).jsonl
# measure NAME PROGRAM ARGUMENTS...: appends the program's line to $results.
measure() {
  local name=$1 program=$2
  shift 2
  [[ -z $only || $name =~ $only || $name = nginx* ]] || return 0
  "build/release/bin/$program" --name "$name" "$@" >>"$results"
}

load() { measure "$1" bench_load --connections "$connections" --seconds "$seconds" --ca "$(dev_value service .caFile)" "${@:2}"; }

suffix() { [ "$1" = service ] || echo " ($1)"; }

# The same requests for every service: whoami, ... are files of bench/seed.py.
declare -A url=() roles=()
# load_service SERVICE MEASUREMENT FILE ARGUMENTS...
load_service() {
  local name=$1 roles_given
  read -ra roles_given <<<"${roles[$name]}"
  load "$2$(suffix "$name")" --url "${url[$name]}/" --requests "$(asks "$name" "$3")" "${roles_given[@]}" "${@:4}"
}

# An older build of --against and the peer know no sessions.
has_sessions() { [ "$1" != peer ] && [ "$(wc -c <"$(asks "$1" session)")" -gt 1 ]; }

round_of_service() {
  load_service "$1" "warm GET" whoami
  load_service "$1" "run status" status
  load_service "$1" "GET one test" test
  ! has_sessions "$1" || load_service "$1" "GET one test, session" session
  load_service "$1" "list 20 jobs" jobs
  load_service "$1" "trigger" trigger --expect 202
  load_service "$1" "trigger, key" trigger --expect 202 --idempotency yes
  [ "$1" != peer ] || return 0
  load_service "$1" "401 bad checksum" forged --expect 401
  load_service "$1" "429 denied key" denied --expect 429
  ! has_sessions "$1" || watched_trigger "$1"
}

# A trigger in a project without and with $viewers open pages; 20 sessions share them.
watched_trigger() {
  local roles_given
  read -ra roles_given <<<"${roles[$1]}"
  measure "trigger, viewers$(suffix "$1")" bench_viewers --url "${url[$1]}/" --ca "$(dev_value service .caFile)" \
    --requests "$(asks "$1" watched)" --watch "$(asks "$1" watch)" --viewers "$viewers" --seconds "$seconds" "${roles_given[@]}"
}

# A trigger key that is always denied.
deny_a_key() {
  local job key target
  job=$(dev_value "$1" .jobId)
  target=/api/jobs/$job/trigger
  key=$(curl -sS --fail-with-body --cacert "$(dev_value "$1" .caFile)" -H "Authorization: Bearer $(dev_value "$1" .token)" \
    -H 'Content-Type: application/json' -d '{"name":"denied","rateLimit":{"limit":1,"windowSeconds":3600}}' \
    "$(dev_value "$1" .url)/api/jobs/$job/trigger-keys" | jq -r .triggerKey.key)
  echo "POST $target $key" >"$(asks "$1" denied)"
  curl -sS -o /dev/null -X POST --cacert "$(dev_value "$1" .caFile)" -H "Authorization: Bearer $key" "$(dev_value "$1" .url)$target"
}

# Each token is used once before we measure, each job has a queued run, and the planner knows the tables: plans made
# for empty ones are kept until the first ANALYZE.
warm_up() {
  local file status
  for file in whoami trigger session; do
    [ $file != session ] || has_sessions "$1" || continue
    status=$([ $file = trigger ] && echo 202 || echo 200)
    build/release/bin/bench_load --name warm-up --url "${url[$1]}/" --ca "$(dev_value service .caFile)" --seconds 2 \
      --requests "$(asks "$1" $file)" --expect "$status" >/dev/null
  done
  bench/queue_runs.py "${url[$1]}" "$(dev_value service .caFile)" "$temporary/$1/ask"
}

idle_connections() {
  local name
  measure "nginx idle" bench_hold --url "$nginx_url" --ca "$(dev_value service .caFile)" --connections "$idle" --role "nginx=$nginx_pid+"
  for name in "${services[@]}"; do
    measure "idle connection$(suffix "$name")" bench_hold --url "${url[$name]}/livez" --ca "$(dev_value service .caFile)" \
      --connections "$idle" --role "svcd=$(dev_value "$name" .pids.svcd)"
  done
}

build svcd bench_load bench_hold bench_viewers
mkdir -p bench/results
services=(service)
start_service service "$svcd" 1 --no-runner
# One authority for all, so that the clients need one file.
add_service() {
  services+=("$1")
  start_service "$1" "$2" 1 --no-runner
  cat "$(dev_value "$1" .caFile)" >>"$(dev_value service .caFile)"
}
[ -z "$against" ] || add_service against "$against"
[ "$history" = 0 ] || add_service history "$svcd"
for name in "${services[@]}"; do
  printf '{"name":"resident at start%s","kib":%d}\n' "$(suffix "$name")" "$(cat "$temporary/$name/kib")" >>"$results"
  url[$name]=$(dev_value "$name" .url) roles[$name]=$(roles_of "$name")
  deny_a_key "$name"
done
measured=("${services[@]}")
if [ "$peer" = yes ]; then
  start_peer service
  measured+=(peer)
  url[peer]=$peer_url roles[peer]="--role peer=$peer_pid+ ${roles[service]#*--role svcd=* }"
fi
[ "$history" = 0 ] || fill_history history "$history"
for name in "${measured[@]}"; do warm_up "$name"; done
for name in "${services[@]}"; do sql "$name" 'VACUUM ANALYZE'; done
[ "$peer" != yes ] || sql service 'VACUUM ANALYZE' peer
start_nginx service
# Interleaved, so that a noisy minute of the machine affects all of them.
# Every second round goes backwards, so that none always comes first.
backwards=()
for name in "${measured[@]}"; do backwards=("$name" "${backwards[@]}"); done
for round in $(seq "$rounds"); do
  load nginx --url "$nginx_url" --role "nginx=$nginx_pid+"
  [ $((round % 2)) = 1 ] && order=("${measured[@]}") || order=("${backwards[@]}")
  for name in "${order[@]}"; do round_of_service "$name"; done
done
[ "$idle" -eq 0 ] || idle_connections
bench/table.py "$results"
echo "lines: $results"
