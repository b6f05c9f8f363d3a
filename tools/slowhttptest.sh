#!/bin/bash
# Starts a service and attacks it with 1000 slow connections in each mode of slowhttptest (Debian's package of that
# name), sends requests as a client meanwhile, and reports whether all were answered. Ten minutes.
# usage: tools/slowhttptest.sh [CONNECTIONS [SECONDS]]   (default 1000 connections, 120 s for each mode)
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" = --help ]; then
  sed -n '2,4s/^# //p' "$0"
  exit 0
fi
command -v slowhttptest >/dev/null || { echo "slowhttptest: apt-get install slowhttptest" >&2; exit 2; }
connections=${1:-1000} length=${2:-120}
svcd=${SVC_BIN:-build/release/bin/svcd}
work=$(mktemp -d)
chmod 711 "$work"  # the user of the stores passes through
SVC_LOG_LEVEL=warn SVC_LIMITS_FEED_LIMIT=1000000 SVC_LIMITS_ANONYMOUS_LIMIT=1000000 \
  $svcd dev --data-dir "$work/data" --listen 127.0.0.1:0 --admin 127.0.0.1:0 --print json --no-runner >"$work/line" 2>"$work/log" &
service=$!
trap 'kill $service 2>/dev/null; wait $service 2>/dev/null; rm -rf "$work"' EXIT
for _ in $(seq 300); do [ -s "$work/line" ] && break; sleep 0.1; done
value() { jq -er "$1" "$work/line"; }
url=$(value .url) ca=$(value .caFile) token=$(value .token) admin=$(value .adminUrl) pid=$(value .pids.svcd)

resident() { awk '/VmRSS/ {print $2}' "/proc/$pid/status"; }
# Response times in ms, one per line; 0 for anything but a 200.
ask() {
  local end=$(($(date +%s) + $1))
  while [ "$(date +%s)" -lt $end ]; do
    curl -s -o "$work/answer" --cacert "$ca" -H "Authorization: Bearer $token" \
      -w '%{http_code} %{time_total}\n' --max-time 10 "$url/api/auth/whoami" || true
    sleep 0.1
  done | awk '{print $1 == 200 ? $2 * 1000 : 0}'
}
summary() { sort -n "$1" | awk '{a[NR] = $1; bad += $1 == 0} END {printf "%d answers, %d bad, p99 %.1f ms", NR, bad, a[int(NR * 0.99 + 0.999)]}'; }

ask 10 >"$work/quiet"
echo "quiet: $(summary "$work/quiet"), resident $(resident) KiB"
failed=0
mode() {
  local name=$1
  shift
  local before most now
  before=$(resident) most=0
  slowhttptest "$@" -c "$connections" -r 200 -l "$length" -p 10 >"$work/attack" 2>&1 &
  local attack=$!
  ask "$length" >"$work/under" &
  local client=$!
  while kill -0 $attack 2>/dev/null && kill -0 $client 2>/dev/null; do
    now=$(resident)
    [ "$now" -gt "$most" ] && most=$now
    sleep 0.5
  done
  wait $attack || true
  wait $client
  sleep 2
  echo "$name: $(summary "$work/under"); resident $before, at most $most, afterwards $(resident) KiB;" \
    "$(sed 's/\x1b\[[0-9;]*m//g' "$work/attack" | grep -aiE 'exit status' | tail -1)"
  grep -qx 0 "$work/under" && failed=1
  return 0
}
mode "slow headers" -H -i 5 -x 24 -u "$url/livez"
mode "slow body" -B -i 5 -s 8192 -x 10 -u "$url/api/tests"
mode "range" -R -a 5 -b 3000 -u "$url/openapi/openapi.json"
mode "slow read" -X -k 20 -n 5 -w 512 -y 1024 -z 32 -u "$url/openapi/openapi.json"
exit $failed
