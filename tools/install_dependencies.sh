#!/bin/sh
# Installs the packages that build and run the service on a bare Debian 12. Quiet when nothing is missing; works as
# root or with sudo. `--tests` adds what only tests and lint need, `--bench` what only benchmarks need, `--packages` what
# only Debian packages and their test need, `--dashboard` what only the dashboard's pages need; `--cli` is for building the
# client alone.
set -eu

for_cli="
  clang-19 lld-19 binutils cmake ninja-build ccache pkg-config
  libboost1.81-dev libboost-json1.81-dev libssl-dev libcurl4-openssl-dev libutf8proc-dev
  prometheus-cpp-dev libtomlplusplus-dev libcli11-dev libhowardhinnant-date-dev"
packages="
  clang-19 lld-19
  cmake ninja-build ccache pkg-config python3 python3-yaml
  libboost1.81-dev libboost-json1.81-dev libssl-dev libhiredis-dev libpq-dev libre2-dev zlib1g-dev
  libjemalloc-dev libseccomp-dev libsodium-dev libcjose-dev libcurl4-openssl-dev libutf8proc-dev
  prometheus-cpp-dev libtomlplusplus-dev libcli11-dev
  libc-ares-dev libidn2-dev libhowardhinnant-date-dev doctest-dev
  tzdata postgresql-15 redis-tools openssl ca-certificates curl jq bubblewrap"
for_tests="
  clang-format-19 clang-tidy-19 llvm-19 libclang-rt-19-dev
  shellcheck wget haproxy nginx-light pgbouncer chromium xxd tinyproxy squid mandoc zsh fish bash-completion prometheus
  python3-aiosmtpd python3-feedparser"
# A machine has one mail server, and apt would remove another one for this: the test that uses it says that it was not
# shown.
[ -e /usr/sbin/sendmail ] || for_tests="$for_tests opensmtpd"
# Contract tests and the dashboard's build run on Node 18 or newer; Debian's is installed only where there is none. A
# release's sources hold the built pages.
node=""
node_major=$(node --version 2>/dev/null | sed -n 's/^v\([0-9]*\)\..*/\1/p')
if [ "${node_major:-0}" -lt 18 ] || ! command -v npm >/dev/null; then node="nodejs npm"; fi
for_tests="$for_tests $node"
web="$(dirname "$0")/../web"
for_dashboard=""
if [ -e "$web/package.json" ] && [ ! -e "$web/prebuilt/manifest.json" ]; then for_dashboard="$node"; fi

for option in "$@"; do
  case "$option" in
    --tests) packages="$packages $for_tests" ;;
    --dashboard) packages="$packages $for_dashboard" ;;
    --cli) packages="$for_cli" ;;
    --packages) packages="$packages debhelper dpkg-dev lintian debootstrap systemd-container" ;;
    --bench) packages="$packages nginx-light wrk linux-perf" ;;
    --help)
      echo "usage: tools/install_dependencies.sh [--tests] [--bench] [--packages] [--dashboard] | --cli"
      exit 0
      ;;
    *)
      echo "install_dependencies: unknown option $option (try --help)" >&2
      exit 2
      ;;
  esac
done

as_root=""
if [ "$(id -u)" -ne 0 ]; then as_root="sudo"; fi

# While packages are installed, this file prevents their services from starting. A file left by a killed run must go:
# it would prevent every package of this machine from starting its service.
policy="${POLICY_FILE:-/usr/sbin/policy-rc.d}"
mark="# Made by tools/install_dependencies.sh, process"
left_by=$(sed -n "s|^$mark ||p" "$policy" 2>/dev/null || true)
if [ -n "$left_by" ] && [ ! -d "/proc/$left_by" ]; then
  $as_root rm -f "$policy" || echo "install_dependencies: remove $policy, which an earlier run left" >&2
fi

missing=""
for package in $packages; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ -n "$as_root" ]; then
  command -v sudo >/dev/null || {
    echo "Missing packages:$missing" >&2
    echo "Run this script as root, or install sudo." >&2
    exit 1
  }
fi

echo "Installing:$missing"

# PostgreSQL's package would create and start its own cluster; the service starts a private one.
if [ ! -e /etc/postgresql-common/createcluster.conf ]; then
  $as_root mkdir -p /etc/postgresql-common
  echo "create_main_cluster = false" | $as_root tee /etc/postgresql-common/createcluster.conf >/dev/null
fi

# The packages of HAProxy, nginx, PgBouncer, tinyproxy, squid, Prometheus and OpenSMTPD would start them; tests start
# private ones or none. An existing policy of the machine stays.
log=$(mktemp)
own_policy=""
trap 'rm -f "$log"; [ -z "$own_policy" ] || $as_root rm -f "$own_policy"' EXIT
# Without these traps a signal would end this shell without running the EXIT trap.
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
if [ ! -e "$policy" ]; then
  own_policy="$policy"
  printf '#!/bin/sh\n%s %s\nexit 101\n' "$mark" "$$" | $as_root tee "$policy" >/dev/null
  $as_root chmod 755 "$policy"
fi
attempt() { $as_root env DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1; }
if ! { attempt apt-get update && attempt apt-get install -y --no-install-recommends $missing; }; then
  cat "$log" >&2
  echo "Installing failed; apt's output is above." >&2
  exit 1
fi

# They must not start at the next boot either.
for service in haproxy nginx pgbouncer tinyproxy squid prometheus opensmtpd; do
  case "$missing" in *$service*) $as_root update-rc.d "$service" disable >/dev/null 2>&1 || true ;; esac
done
