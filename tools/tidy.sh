#!/bin/sh
# Runs clang-tidy (.clang-tidy: a short list) on sources that changed against a base. Needs the dev build.
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
[ -f build/dev/compile_commands.json ] || { echo "tidy: build first (make build)" >&2; exit 1; }
[ -n "$changed" ] || { echo "tidy: no source changed since $base"; exit 0; }

echo "tidy: $(echo "$changed" | wc -l) files"
echo "$changed" | xargs -P "$(nproc)" -n 4 clang-tidy-19 -p build/dev --quiet --extra-arg=-Wno-unused-command-line-argument
