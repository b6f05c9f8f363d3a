#!/bin/bash
# Tests the upgrade from the newest released version: builds its svcd from this clone's history into build/previous,
# once, and runs it beside the one in build/dev on one database. `make test-upgrade` builds that before.
set -euo pipefail
cd "$(dirname "$0")/.."

# The newest section of the changelog that names its commit.
commit=$(grep -oPm1 '^Commit \K[0-9a-f]{40}(?=\.$)' CHANGELOG.md) || {
  echo "CHANGELOG.md names no commit of a released version." >&2
  exit 1
}
git cat-file -e "$commit^{commit}" 2>/dev/null || {
  echo "The previous version, $commit, is not in this clone's history: git fetch --unshallow, or fetch that commit." >&2
  exit 1
}

place=build/previous/$commit
if [ ! -x "$place/svcd" ]; then
  source=$place/source
  [ -e "$source/.git" ] || git worktree add -q --force --detach "$source" "$commit"
  (cd "$source" && cmake --preset dev >/dev/null && cmake --build --preset dev --target svcd)
  cp "$source/build/dev/bin/svcd" "$place/svcd"
  git worktree remove --force "$source"
fi
TEST_PREVIOUS_SVCD=$PWD/$place/svcd exec build/dev/bin/integration_system --source-file='*/upgrade_test.cpp,*/rolling_test.cpp' "$@"
