#!/bin/sh
# Runs one suite of Node programs against the contract and the service of a build.
# usage: tests/contract/node/run.sh SUITE [BUILD_DIR]   SUITE: lint, client, feeds, proxy or fuzz; BUILD_DIR: build/dev
#        tests/contract/node/run.sh --install           only what the suites need
set -eu
here=$(cd "$(dirname "$0")" && pwd)
suite="${1:---help}"
if [ "$suite" != --install ] && [ ! -f "$here/$suite.test.mjs" ]; then
  sed -n '2,4s/^# //p' "$0"
  [ "$suite" = --help ] && exit 0
  exit 2
fi
[ "$suite" = --install ] || build=$(cd "${2:-$here/../../../build/dev}" && pwd)
cd "$here"

# Otherwise both linters would check for updates or report their use over the network.
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true

# node_modules matches this lockfile when it contains an equal copy; an interrupted installation leaves none.
stamp=node_modules/.installed-lock.json
if ! cmp -s package-lock.json "$stamp"; then
  echo "Installing the packages of tests/contract/node/package-lock.json"
  # Packages run no scripts when they are installed.
  npm ci --ignore-scripts --loglevel=error >&2 || {
    echo "contract: npm could not install them, its output is above. Does this machine reach the npm registry?" >&2
    exit 1
  }
  cp package-lock.json "$stamp"
fi
if [ "$suite" = --install ]; then exit 0; fi

SVC_BIN="${SVC_BIN:-$build/bin/svcd}" TEST_CONTRACT="$build/src/openapi" exec node --test --test-reporter=spec "$suite.test.mjs"
