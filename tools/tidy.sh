#!/bin/sh
# Runs clang-tidy (.clang-tidy: a short list) on sources that changed against a base, each compiled by itself.
# usage: tools/tidy.sh [--all | BASE]   (default BASE: the previous commit; --all: every source, half an hour)
set -eu
cd "$(dirname "$0")/.."

base="${1:-HEAD~1}"
case "$base" in
  --help)
    sed -n '2,3s/^# //p' "$0"
    exit 0
    ;;
  --all) changed=$(git ls-files 'src/*.cpp') ;;
  *) changed=$(git diff --name-only --diff-filter=d "$base" -- 'src/*.cpp') ;;
esac
[ -n "$changed" ] || { echo "tidy: no source changed since $base"; exit 0; }

# A separate build directory, because the other builds compile sources in batches, so single files have no commands.
[ -f build/tidy/build.ninja ] || cmake --preset dev -B build/tidy -DCMAKE_UNITY_BUILD=OFF -DBUILD_TESTING=OFF >/dev/null
cmake --build build/tidy --target svc_pch svc_build_commit svc_operations >/dev/null

echo "tidy: $(echo "$changed" | wc -l) files"
echo "$changed" | xargs -P "$(nproc)" -n 4 clang-tidy-19 -p build/tidy --quiet --extra-arg=-Wno-unused-command-line-argument
