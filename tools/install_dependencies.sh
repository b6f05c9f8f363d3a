#!/bin/sh
# Installs what a bare Debian 12 lacks to build and run the service. Quiet when nothing is missing; works as root or
# with sudo. `--tests` adds what only tests and lint need, `--bench` what only benchmarks need.
set -eu

packages="
  clang-19 lld-19
  cmake ninja-build ccache pkg-config python3 python3-yaml
  libboost1.81-dev libboost-json1.81-dev libssl-dev libhiredis-dev libpq-dev libre2-dev zlib1g-dev
  libjemalloc-dev
  prometheus-cpp-dev libtomlplusplus-dev libcli11-dev
  libhowardhinnant-date-dev doctest-dev
  tzdata postgresql-15 redis-tools openssl ca-certificates curl jq bubblewrap"
for_tests="
  clang-format-19 clang-tidy-19 llvm-19 libclang-rt-19-dev
  haproxy nginx-light chromium"
# Tests of the contract run on any Node from 18 on; Debian's comes only where there is none.
node_major=$(node --version 2>/dev/null | sed -n 's/^v\([0-9]*\)\..*/\1/p')
if [ "${node_major:-0}" -lt 18 ] || ! command -v npm >/dev/null; then for_tests="$for_tests nodejs npm"; fi

for option in "$@"; do
  case "$option" in
    --tests) packages="$packages $for_tests" ;;
    --bench) packages="$packages nginx-light wrk linux-perf" ;;
    --help)
      echo "usage: tools/install_dependencies.sh [--tests] [--bench]"
      exit 0
      ;;
    *)
      echo "install_dependencies: unknown option $option (try --help)" >&2
      exit 2
      ;;
  esac
done

missing=""
for package in $packages; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "Missing packages:$missing" >&2
    echo "Run this script as root, or install sudo." >&2
    exit 1
  }
  as_root="sudo"
fi

echo "Installing:$missing"

# PostgreSQL's package would create and start a cluster of its own; the service starts a private one.
if [ ! -e /etc/postgresql-common/createcluster.conf ]; then
  $as_root mkdir -p /etc/postgresql-common
  echo "create_main_cluster = false" | $as_root tee /etc/postgresql-common/createcluster.conf >/dev/null
fi

# HAProxy's and nginx's packages would start them; tests start private ones. A policy of the machine's own stays.
log=$(mktemp)
policy=/usr/sbin/policy-rc.d
own_policy=""
if [ ! -e "$policy" ]; then
  own_policy="$policy"
  printf '#!/bin/sh\nexit 101\n' | $as_root tee "$policy" >/dev/null
  $as_root chmod 755 "$policy"
fi
trap 'rm -f "$log"; [ -z "$own_policy" ] || $as_root rm -f "$own_policy"' EXIT
attempt() { $as_root env DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1; }
if ! { attempt apt-get update && attempt apt-get install -y --no-install-recommends $missing; }; then
  cat "$log" >&2
  echo "Installing failed; apt's words are above." >&2
  exit 1
fi

# Neither at the next boot.
for service in haproxy nginx; do
  case "$missing" in *$service*) $as_root update-rc.d "$service" disable >/dev/null 2>&1 || true ;; esac
done
