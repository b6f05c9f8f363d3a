#!/bin/sh
# Checks that the shipped program contains no failpoints, at which tests delay, fail or kill it.
# usage: tools/check_release.sh [BINARY]   (default: build/release/bin/svcd)
set -eu
cd "$(dirname "$0")/.."
binary="${1:-build/release/bin/svcd}"

names=$(git grep -hoE 'SVC_FAILPOINT(_NOW)?\("[^"]+"\)' -- src | sed 's/.*("\(.*\)").*/\1/' | sort -u)
[ -n "$names" ] || { echo "check_release: no failpoint found in src/; there is nothing to check" >&2; exit 1; }
found=0
for name in $names /debug/failpoints; do
  if grep -qaF "$name" "$binary"; then
    echo "check_release: $binary contains $name" >&2
    found=1
  fi
done
# Checks of monitors that connect to nothing are for benchmarks only (-DSVC_BENCH=ON).
if grep -qaF BENCH_NOOP_CHECKS "$binary"; then
  echo "check_release: $binary can leave its checks out" >&2
  found=1
fi
# --noop, which completes runs without executing them, is for benchmarks only.
runner="$(dirname "$binary")/svc-runner"
if [ -e "$runner" ] && "$runner" --help | grep -q -e --noop; then
  echo "check_release: $runner knows --noop" >&2
  found=1
fi
[ "$found" = 0 ] && echo "check_release: none of $(echo "$names" | wc -l) failpoints in $binary"
exit "$found"
