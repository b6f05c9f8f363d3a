#!/bin/bash
# Runs each fuzz target (requires a build of the preset asan) for some time, one per core at once, and reports how many
# inputs each executed. A target with fewer than LEAST inputs, as on a busy machine, runs on for up to 20 times that.
# Fails when a target finds something, or still has too few inputs.
# usage: tools/fuzz.sh [SECONDS [LEAST [TARGET...]]]   (default 20 s, 10000 inputs, all targets)
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" = --help ]; then
  sed -n '2,5s/^# //p' "$0"
  exit 0
fi
export FUZZ_TIME="${1:-20}" FUZZ_LEAST="${2:-10000}"
shift $(($# < 2 ? $# : 2))
targets="$*"
[ -n "$targets" ] || targets=$(cd build/asan/bin && ls fuzz_* | grep -v '\.' | sed s/^fuzz_//)

# Adds to `executed`. Findings become files in the build directory: crash-*, timeout-*, oom-*.
fuzz_once() {
  local name=$1 out=$2
  shift 2
  build/asan/bin/fuzz_$name "$@" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$out/" "$out/corpus" "tests/fuzz/seeds/$name" >"$out/log" 2>&1 || {
    tail -40 "$out/log"
    echo "fuzz: $name FAILED; $out/ holds the input"
    return 1
  }
  executed=$((executed + $(sed -n 's/^stat::number_of_executed_units: *//p' "$out/log")))
}

run_one() {
  local name=$1 out=build/asan/fuzz/$1
  mkdir -p "$out/corpus"
  local executed=0 start=$SECONDS
  fuzz_once "$name" "$out" -max_total_time="$FUZZ_TIME"
  [ "$executed" -ge "$FUZZ_LEAST" ] ||
    fuzz_once "$name" "$out" -max_total_time=$((20 * FUZZ_TIME)) -runs=$((FUZZ_LEAST - executed))
  echo "fuzz: $name executed $executed inputs in $((SECONDS - start)) s"
  [ "$executed" -ge "$FUZZ_LEAST" ] || { echo "fuzz: $name executed fewer than $FUZZ_LEAST"; return 1; }
}
export -f run_one fuzz_once
printf '%s\n' $targets | xargs -P "$(nproc)" -I{} bash -c 'set -euo pipefail; run_one {}'
