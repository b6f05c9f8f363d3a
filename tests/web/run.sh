#!/bin/sh
# Tests the dashboard's pages: lint, types and unit tests, then in Debian's chromium against `svcd dev`.
# usage: tests/web/run.sh unit|browser [BUILD_DIR [ARGUMENT...]]    BUILD_DIR: build/dev; SVC_BIN=PATH takes another server; the
#        arguments, such as a file's name, are Playwright's
#        tests/web/run.sh --install                   only what the tests need
set -eu
here=$(cd "$(dirname "$0")" && pwd)
suite="${1:---help}"
case "$suite" in
  unit|browser|--install) ;;
  *)
    sed -n '2,5s/^# //p' "$0"
    [ "$suite" = --help ] && exit 0
    exit 2
    ;;
esac

# node_modules matches its lockfile when it names its hash, as tools/build_dashboard.py writes it; an interrupted installation
# leaves no name. Packages run no scripts, so that Playwright downloads no browser.
install() {
  lock=$(sha256sum "$1/package-lock.json" | cut -c1-64)
  [ "$(cat "$1/node_modules/.installed" 2>/dev/null)" = "$lock" ] && return
  echo "Installing the packages of $1/package-lock.json"
  PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm --prefix "$1" ci --ignore-scripts --loglevel=error >&2
  printf '%s' "$lock" > "$1/node_modules/.installed"
}

# The browser's tests build pages of their own.
install "$here/../../web"
if [ "$suite" != unit ]; then install "$here/browser"; fi
if [ "$suite" = --install ]; then exit 0; fi
if [ "$suite" = unit ]; then exec npm --prefix "$here/../../web" run --silent verify; fi

build=$(cd "${2:-$here/../../build/dev}" && pwd)
[ $# -lt 2 ] || shift
shift
cd "$here/browser"
SVC_BIN="${SVC_BIN:-$build/bin/svcd}" TEST_WEB_RESULTS="$build/web-results" exec npx --no-install playwright test "$@"
