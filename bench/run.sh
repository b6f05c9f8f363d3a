#!/bin/bash
# Measures the release build against nginx's static answer, side by side in one run. bench/README.md explains the
# numbers. Requires tools/install_dependencies.sh --bench.
set -euo pipefail
cd "$(dirname "$0")/.."

rounds=5 seconds=3 connections=64 idle=5000 only='' against='' svcd=build/release/bin/svcd
usage="usage: bench/run.sh [--rounds $rounds] [--seconds $seconds] [--connections $connections] [--idle $idle]
       [--only REGEX of measurements] [--svcd PATH] [--against PATH of another svcd, measured in the same run]"
. bench/common.sh
read_options "rounds seconds connections idle only svcd against" "$@"
prepare # nginx, its workers and everything that svcd dev starts end with the script
ulimit -n "$(ulimit -Hn)"

# start_service NAME BINARY: leaves NAME.json (what `svcd dev` printed) in $temporary.
# The limits are too high to be reached: they have their own tests. Windows of one second, so that entries expire
# while we measure, as they do in a service that has run for a while. Redis has a deadline of one second, so that a
# stall of the machine does not become a 503. Nothing executes the queued runs, so the queue has no quota either.
start_service() {
  local name=$1 binary=$2 tries=0 quota=()
  # An older binary (--against) refuses unknown keys.
  if "$binary" print-config --defaults | grep -q queued_runs; then quota=(SVC_QUOTAS_QUEUED_RUNS=0); fi
  mkdir -m 755 "$temporary/$name"
  SVC_LIMITS_CLI_LIMIT=10000000 SVC_LIMITS_CLI_WINDOW=1 SVC_LIMITS_TRIGGER_DEFAULT_LIMIT=10000000 \
    SVC_LIMITS_TRIGGER_DEFAULT_WINDOW=1 SVC_LIMITS_ANONYMOUS_LIMIT=10000000 SVC_LIMITS_ANONYMOUS_WINDOW=1 \
    SVC_REDIS_DEADLINE=1000ms \
    env "${quota[@]}" "$binary" dev --data-dir "$temporary/$name" --listen 127.0.0.1:0 --admin 127.0.0.1:0 --print json --no-runner \
    >"$temporary/$name.json" 2>"$temporary/$name.log" &
  started+=($!)
  until [ -s "$temporary/$name.json" ]; do
    sleep 0.1
    tries=$((tries + 1))
    if [ $tries -gt 600 ] || ! kill -0 "${started[-1]}" 2>/dev/null; then
      cat "$temporary/$name.log" >&2
      exit 1
    fi
  done
}

told() { jq -r "$2" "$temporary/$1.json"; } # told SERVICE FILTER

# call SERVICE PATH BODY: POST with the service's CLI token.
call() {
  curl -sS --fail-with-body --cacert "$(told "$1" .caFile)" -H "Authorization: Bearer $(told "$1" .token)" \
    -H 'Content-Type: application/json' -d "$3" "$(told "$1" .url)$2"
}

# Twenty jobs to list, and a key that is always denied.
prepare_service() {
  local name=$1 test i
  test=$(told "$name" .testId)
  for i in $(seq 19); do
    call "$name" /api/jobs "{\"name\":\"job $i\",\"jobType\":\"command\",\"tests\":[{\"id\":\"$test\"}]}" >/dev/null
  done
  call "$name" "/api/jobs/$(told "$name" .jobId)/trigger-keys" \
    '{"name":"denied","rateLimit":{"limit":1,"windowSeconds":3600}}' | jq -r .triggerKey.key >"$temporary/$name.denied"
  curl -sS -o /dev/null -X POST --cacert "$(told "$name" .caFile)" \
    -H "Authorization: Bearer $(cat "$temporary/$name.denied")" \
    "$(told "$name" .url)/api/jobs/$(told "$name" .jobId)/trigger"
}

# Uses the service's own certificate, so that both sides do the same cryptography.
start_nginx() {
  local name=$1 tries=0 user=''
  nginx_port=$((20000 + RANDOM % 20000))
  [ "$(id -u)" -ne 0 ] || user='user root;'
  mkdir "$temporary/nginx"
  cat >"$temporary/nginx.conf" <<CONF
$user
worker_processes auto;
daemon off;
pid $temporary/nginx/pid;
error_log $temporary/nginx/error.log;
events { worker_connections 16384; }
http {
  access_log $temporary/nginx/access.log;
  client_body_temp_path $temporary/nginx;
  proxy_temp_path $temporary/nginx;
  fastcgi_temp_path $temporary/nginx;
  uwsgi_temp_path $temporary/nginx;
  scgi_temp_path $temporary/nginx;
  keepalive_requests 1000000000;
  server {
    listen 127.0.0.1:$nginx_port ssl;
    ssl_protocols TLSv1.3;
    ssl_certificate $(told "$name" .dataDir)/tls/server.pem;
    ssl_certificate_key $(told "$name" .dataDir)/tls/server-key.pem;
    location / { default_type application/json; return 200 '{"status":"ok","name":"a small static document"}'; }
  }
}
CONF
  /usr/sbin/nginx -e "$temporary/nginx/error.log" -c "$temporary/nginx.conf" &
  started+=($!)
  nginx_pid=$!
  nginx_url="https://127.0.0.1:$nginx_port/"
  until curl -sS -o /dev/null --cacert "$(told "$name" .caFile)" "$nginx_url" 2>/dev/null; do
    sleep 0.1
    tries=$((tries + 1))
    [ $tries -lt 100 ] || { cat "$temporary/nginx/error.log" >&2; exit 1; }
  done
}

results=bench/results/$(date -u +%Y%m%dT%H%M%SZ).jsonl
# measure NAME PROGRAM ARGUMENTS...: appends the program's line to $results.
measure() {
  local name=$1 program=$2
  shift 2
  [[ -z $only || $name =~ $only || $name = nginx* ]] || return 0
  "build/release/bin/$program" --name "$name" "$@" >>"$results"
}

load() { measure "$1" bench_load --connections "$connections" --seconds "$seconds" "${@:2}"; }

# load_service SERVICE MEASUREMENT TOKEN PATH ARGUMENTS...
load_service() {
  local name=$1 what=$2 token=$3 path=$4
  shift 4
  load "$what$(suffix "$name")" --url "$(told "$name" .url)$path" --ca "$(told "$name" .caFile)" \
    --header "Authorization: Bearer $token" --role "svcd=$(told "$name" .pids.svcd)" \
    --role "redis=$(told "$name" .pids.redis)" --role "postgres=$(told "$name" .pids.postgres)+" "$@"
}

suffix() { [ "$1" = service ] || echo " ($1)"; }

round_of_nginx() {
  load nginx --url "$nginx_url" --ca "$(told service .caFile)" --role "nginx=$nginx_pid+"
}

round_of_service() {
  local name=$1 token key job wrong
  token=$(told "$name" .token) key=$(told "$name" .triggerKey) job=$(told "$name" .jobId)
  wrong=${token%?}$([ "${token: -1}" = 0 ] && echo 1 || echo 0)
  load_service "$name" "warm GET" "$token" /api/auth/whoami
  load_service "$name" "GET one test" "$token" "/api/tests/$(told "$name" .testId)"
  load_service "$name" "list 20 jobs" "$token" /api/jobs
  load_service "$name" "trigger" "$key" "/api/jobs/$job/trigger" --method POST --expect 202
  load_service "$name" "401 bad checksum" "$wrong" /api/auth/whoami --expect 401
  load_service "$name" "429 denied key" "$(cat "$temporary/$name.denied")" "/api/jobs/$job/trigger" --method POST --expect 429
}

idle_connections() {
  local name
  measure "nginx idle" bench_hold --url "$nginx_url" --ca "$(told service .caFile)" --connections "$idle" --role "nginx=$nginx_pid+"
  for name in "${services[@]}"; do
    measure "idle connection$(suffix "$name")" bench_hold --url "$(told "$name" .url)/livez" --ca "$(told "$name" .caFile)" \
      --connections "$idle" --role "svcd=$(told "$name" .pids.svcd)"
  done
}

resident_at_start() {
  local pid
  pid=$(told "$1" .pids.svcd)
  awk -v name="resident at start$(suffix "$1")" \
    '/^VmRSS/ {printf "{\"name\":\"%s\",\"kib\":%d}\n", name, $2}' "/proc/$pid/status" >>"$results"
}

# Medians over the rounds; the ratio is CPU time to nginx's CPU time.
table() {
  jq -rs '
    def median: sort | .[length / 2 | floor];
    def rounded: . * 10 | round / 10;
    map(select(.cpu_us)) | (map(select(.name == "nginx").cpu_us.sum) | median) as $floor
    | ["measurement", "req/s", "p50 µs", "p99 µs", "server µs", "Redis µs", "PostgreSQL µs", "sum µs", "× nginx"],
      ["---", "--:", "--:", "--:", "--:", "--:", "--:", "--:", "--:"],
      (group_by(.name) | sort_by(.[0].name != "nginx") | .[]
       | (map(.cpu_us.sum) | median) as $sum
       | [.[0].name, (map(.per_second) | median), (map(.p50_us) | median), (map(.p99_us) | median),
          (map(.cpu_us.svcd // .cpu_us.nginx) | median | rounded),
          (map(.cpu_us.redis // 0) | median | rounded), (map(.cpu_us.postgres // 0) | median | rounded),
          ($sum | rounded), ($sum / $floor * 100 | round / 100)])
    | "| " + (map(tostring) | join(" | ")) + " |"' "$results"
  jq -r 'select(.bytes_each) | "\(.name): \(.bytes_each / 102.4 | round / 10) KB each, \(.connections) held"' "$results"
  jq -r 'select(.kib) | "\(.name): \(.kib / 102.4 | round / 10) MiB"' "$results"
}

build svcd bench_load bench_hold
mkdir -p bench/results
services=(service)
start_service service "$svcd"
if [ -n "$against" ]; then
  services+=(against)
  start_service against "$against"
fi
for name in "${services[@]}"; do
  resident_at_start "$name"
  prepare_service "$name"
done
start_nginx service
# Interleaved, so that a noisy minute of the machine affects all of them.
for _ in $(seq "$rounds"); do
  round_of_nginx
  for name in "${services[@]}"; do round_of_service "$name"; done
done
[ "$idle" -eq 0 ] || idle_connections
table
echo "lines: $results"
