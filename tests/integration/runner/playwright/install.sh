#!/bin/sh
# Installs the Playwright of the lockfile beside this script into ./node_modules, without its browsers (Debian's
# chromium is used instead); quiet when it is installed already.
# usage: tests/integration/runner/playwright/install.sh
set -eu
case "${1:-}" in --help) sed -n '2,4s/^# //p' "$0"; exit 0 ;; esac
cd "$(dirname "$0")"

# node_modules matches this lockfile when it contains an equal copy; an interrupted installation leaves none.
stamp=node_modules/.installed-lock.json
cmp -s package-lock.json "$stamp" && exit 0
PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --ignore-scripts --omit=optional --loglevel=error >&2
cp package-lock.json "$stamp"
