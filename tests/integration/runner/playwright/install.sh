#!/bin/sh
# Installs Playwright of the lockfile beside this script into ./node_modules, without its browsers (Debian's chromium is
# used instead); quiet when it is there.
# usage: tests/integration/runner/playwright/install.sh
set -eu
case "${1:-}" in --help) sed -n '2,4s/^# //p' "$0"; exit 0 ;; esac
cd "$(dirname "$0")"

# node_modules is of this lockfile when the copy in it says so; a run that was cut short left none.
stamp=node_modules/.installed-lock.json
cmp -s package-lock.json "$stamp" && exit 0
PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --ignore-scripts --omit=optional --loglevel=error >&2
cp package-lock.json "$stamp"
