#!/bin/sh
# Checks the format of all sources; requires no build. tools/tidy.sh checks more deeply.
# usage: tools/lint.sh
set -eu
cd "$(dirname "$0")/.."

case "${1:-}" in
  --help)
    sed -n '2,3s/^# //p' "$0"
    exit 0
    ;;
esac

echo "format"
git ls-files '*.cpp' '*.hpp' | xargs clang-format-19 --dry-run --Werror

echo "words that do not belong"
if git grep -nIE '\b(TODO|FIXME|XXX)\b' -- . ':!tools/lint.sh'; then
  echo "lint: write an issue instead of a note to yourself" >&2
  exit 1
fi

echo "exceptions that would be lost"
if git grep -nF 'asio::detached' -- src include ':!include/svc/core/spawn_task.hpp'; then
  echo "lint: use spawn_task (svc/core/spawn_task.hpp)" >&2
  exit 1
fi

echo "statements of the preprocessor"
if git grep -nF '#define' -- src/store include/svc/store; then
  echo "lint: concatenate statements by sql (store/sql/sql_text.hpp)" >&2
  exit 1
fi

echo "scripts"
for script in $(git ls-files '*.sh' .ci/run); do
  case "$(head -1 "$script")" in
    *bash) bash -n "$script" ;;
    *) sh -n "$script" ;;
  esac
done

# Scripts that run on other machines than this one.
shellcheck deploy/cli/install.sh tools/build_client.sh tools/check_client.sh

echo "migrations"
# Each file is applied somewhere, and svcd refuses a database whose file has changed, be it by a comment.
if ! (cd schema/postgres && sha256sum --check --quiet ../checksums.txt && sha256sum V*.sql | cmp -s - ../checksums.txt); then
  echo "lint: never edit a migration; for a new one run: cd schema/postgres && sha256sum V*.sql > ../checksums.txt" >&2
  exit 1
fi

echo "alerts"
tools/check_alerts.py

echo "kubernetes"
tools/check_kubernetes.py

echo "documents"
tools/check_documents.py

echo "promises"
tools/check_promises.py

echo "names"
tools/check_names.py

echo "layers"
tools/check_layers.py

echo "connections"
tools/check_connects.py
