#!/bin/sh
# A failed test is run again only if the machine stood still meanwhile. The ticker stands for the machine: a test of a
# project made for this purpose stops it for 600 ms.
set -eu
runner="$(cd "$(dirname "$0")/../../../tools" && pwd)/run_tests.py"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export RECORD="$place/Testing/stalls.txt" RUNS="$place/runs" STOPS="$place/stops"
failed=0
check() {
  if eval "$2"; then return; fi
  echo "run_tests_test: $case_name: $1: not so: $2" >&2
  sed 's/^/  | /' "$place/out" >&2
  failed=1
}

put() { printf '#!/bin/sh\nset -eu\necho "$0" >>"$RUNS"\n%s\n' "$2" >"$place/$1" && chmod 755 "$place/$1"; }
stop='pid=$(sed -n "s/^ticker \([0-9]*\) .*/\1/p" "$RECORD" | tail -1)
had=$(wc -l <"$RECORD")
echo "$0" >>"$STOPS"
kill -STOP "$pid"'
# Stops the ticker until its record has one more line.
still="$stop"'
sleep 0.6
kill -CONT "$pid"
for _ in $(seq 1000); do
  [ "$(wc -l <"$RECORD")" -gt "$had" ] && break
  sleep 0.02
done'
put sound 'exit 0'
put broken 'echo "said by broken"; exit 1'
put stalled "$still"
put excused "$still
[ \"\$(grep -c excused \"\$RUNS\")\" -gt 1 ]"
put hopeless "$still
exit 1"
# The test ends while the ticker is stopped; run_tests.py must wait for the record.
put cut "$stop
(sleep 0.6 && kill -CONT \$pid) >/dev/null 2>&1 &
[ \"\$(grep -c cut \"\$RUNS\")\" -gt 1 ]"

# Runs these tests as one project; $status is the exit code of run_tests.py.
play() {
  case_name="$*"
  rm -rf "$place/Testing"
  : >"$RUNS"
  : >"$STOPS"
  for name in "$@"; do
    echo "add_test($name \"$place/$name\")"
    echo "set_tests_properties($name PROPERTIES RUN_SERIAL TRUE)"
  done >"$place/CTestTestfile.cmake"
  status=0
  "$runner" "$place" >"$place/out" 2>&1 || status=$?
}
runs_of() { grep -c "/$1\$" "$RUNS"; }
says() { grep -q "^run_tests: $1" "$place/out"; }
# For a failure that no test here excuses. If the machine itself stood still, more stalls are recorded than were played.
alone() { [ "$(runs_of "$1")" = 1 ] || [ "$(grep -c stall "$RECORD")" -gt "$(wc -l <"$STOPS")" ]; }

play sound
check "passes" '[ $status = 0 ] && says "1 tests, 0 repeated, 0 failed"'

play sound broken
check "fails" '[ $status != 0 ] && says "2 tests, . repeated, 1 failed"'
check "no stall, no repetition" 'alone broken'
check "what it said is shown" 'grep -q "said by broken" "$place/out"'

play excused sound
check "passes on the second run" '[ $status = 0 ] && [ "$(runs_of excused)" = 2 ] && [ "$(runs_of sound)" = 1 ]'
check "names the stall" 'says "2 tests, 1 repeated, 0 failed" && says "excused: failed beside a stall of [0-9]* ms.*; passed"'

play cut
check "a stall that outlasts the test counts" '[ $status = 0 ] && [ "$(runs_of cut)" = 2 ]'

play hopeless sound
check "fails after two repetitions" '[ $status != 0 ] && [ "$(runs_of hopeless)" = 3 ] && [ "$(runs_of sound)" = 1 ]'
check "is counted once" 'says "2 tests, 1 repeated, 1 failed"'

play stalled broken
check "a stall beside another test excuses nothing" '[ $status != 0 ] && [ "$(runs_of stalled)" = 1 ] && alone broken'

play excused broken
check "a stall that excuses one test does not excuse another" '[ $status != 0 ] && [ "$(runs_of excused)" = 2 ] && alone broken'

play
check "a project without tests fails" '[ $status != 0 ] && says "ctest itself failed"'
exit "$failed"
