#!/bin/bash
# Reports by llvm-cov how many lines of the parsers of untrusted input the unit tests cover; fails below 90 % in any.
# usage: tools/coverage.sh   (requires a build of the preset coverage: make coverage)
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" = --help ]; then
  sed -n '2,3s/^# //p' "$0"
  exit 0
fi
least=90
build=build/coverage
programs="unit_core unit_domain unit_http unit_net"
shopt -s nullglob
guarded=$(echo src/http/framing_*.cpp src/http/chunk_guard.cpp src/http/target.cpp src/http/json*.cpp \
  src/http/schema_validator.cpp src/http/formats.cpp src/http/headers.cpp src/domain/token.cpp src/core/ip_address.cpp \
  src/http/client_address.cpp src/net/request_body.cpp)

rm -f $build/*.profraw
objects=""
for program in $programs; do
  LLVM_PROFILE_FILE=$build/$program.profraw $build/bin/$program --minimal
  objects="$objects -object $build/bin/$program"
done
llvm-profdata-19 merge -sparse $build/*.profraw -o $build/all.profdata
llvm-cov-19 report $objects -instr-profile=$build/all.profdata -sources $guarded
llvm-cov-19 export -summary-only $objects -instr-profile=$build/all.profdata -sources $guarded |
  jq -e -r --argjson least $least '[.data[0].files[] | select(.summary.lines.percent < $least)
    | "coverage: \(.filename) has \(.summary.lines.percent) % of its lines"] | .[], (length == 0)' >$build/below ||
  { grep coverage: $build/below; exit 1; }
echo "coverage: at least $least % of the lines of each"
