#!/bin/sh
# Installs the OpenID provider of the lockfile beside this script into ./node_modules; quiet when it is installed already.
# usage: tests/support/openid_provider/install.sh
set -eu
case "${1:-}" in --help) sed -n '2,3s/^# //p' "$0"; exit 0 ;; esac
cd "$(dirname "$0")"

# node_modules matches this lockfile when it contains an equal copy; an interrupted installation leaves none.
stamp=node_modules/.installed-lock.json
cmp -s package-lock.json "$stamp" && exit 0
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2
cp package-lock.json "$stamp"
