#!/bin/sh
# The shipped program must not hold the places where tests stall, fail or kill it.
# usage: tools/check_release.sh [BINARY]   (default: build/release/bin/svcd)
set -eu
cd "$(dirname "$0")/.."
binary="${1:-build/release/bin/svcd}"

names=$(git grep -hoE 'SVC_FAILPOINT(_NOW)?\("[^"]+"\)' -- src | sed 's/.*("\(.*\)").*/\1/' | sort -u)
[ -n "$names" ] || { echo "check_release: no failpoint found in src/; the check checks nothing" >&2; exit 1; }
found=0
for name in $names /debug/failpoints; do
  if grep -qaF "$name" "$binary"; then
    echo "check_release: $binary contains $name" >&2
    found=1
  fi
done
# What completes runs unrun is for benchmarks alone.
runner="$(dirname "$binary")/svc-runner"
if [ -e "$runner" ] && "$runner" --help | grep -q -e --noop; then
  echo "check_release: $runner knows --noop" >&2
  found=1
fi
[ "$found" = 0 ] && echo "check_release: none of $(echo "$names" | wc -l) failpoints in $binary"
exit "$found"
