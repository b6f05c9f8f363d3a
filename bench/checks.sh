#!/bin/bash
# Measures checks of monitors: what one costs beside curl and a bare handshake, and how many a core carries beside the
# API. bench/README.md explains the numbers. Requires tools/install_dependencies.sh --bench.
set -euo pipefail
cd "$(dirname "$0")/.."

only='' seconds=20 rate=300 monitors=100000 minutes=10 rounds=3 falls=4 year=100000 days=365 build=yes
svcd=build/release/bin/svcd
usage="usage: bench/checks.sh [--only REGEX of cost, alerts, many, year] [--svcd PATH] [--build $build|no]
       cost:   [--seconds $seconds] [--rate $rate checks a second]
       alerts: [--falls $falls times 50 monitors]
       many:   [--monitors $monitors checked each 60 s by the no-op engine] [--minutes $minutes] [--rounds $rounds of the API's]
       year:   [--year $year monitors] [--days $days]"
. bench/common.sh
. bench/service.sh
. bench/checks/targets.sh
. bench/checks/parts.sh
read_options "only seconds rate monitors minutes rounds falls year days build svcd" "$@"
prepare
ulimit -n "$(ulimit -Hn)"
bin=build/release/bin
[ "$build" = no ] || build svcd bench_load bench_rate bench_check_samples
mkdir -p bench/results
results=bench/results/$(date -u +%Y%m%dT%H%M%SZ)-checks.jsonl
: >"$results"

make_certificates
start_targets
# Checks trust the targets' authority, and may be as short and as many as they must.
export SVC_OUTGOING_CA_FILE=$temporary/targets/ca.pem SVC_CHECKS_PER_TARGET_PER_MINUTE=1000000 SVC_CHECKS_MIN_INTERVAL=10s
wanted() { [[ -z $only || $1 =~ $only ]]; }
if wanted cost || wanted alerts; then
  start_service service "$svcd" 1 --no-runner
  ! wanted cost || cost_of_checks
  ! wanted alerts || alerts_of_falls
fi
if wanted many || wanted year; then
  BENCH_NOOP_CHECKS=1 start_service many "$svcd" 1 --no-runner
  ! wanted many || many_monitors
  ! wanted year || reads_over_a_year
fi
bench/checks/table.py "$results"
echo "lines: $results"
