#!/bin/bash
# Installs, runs, upgrades and purges the packages in build/packages in a bare Debian 12 that boots with its own systemd.
# usage: tests/packages/run.sh   (as root; `make test-packages` builds the packages before)
# build/bare keeps the bare system between runs; all else goes. TEST_KEEP=1 keeps the used system, build/bare/used.
set -euo pipefail
cd "$(dirname "$0")/../.."

[ "$(id -u)" -eq 0 ] || {
  echo "tests/packages: run it as root: it makes a root file system (debootstrap) and boots it (systemd-nspawn)." >&2
  exit 1
}
for tool in debootstrap systemd-nspawn lintian; do
  command -v "$tool" >/dev/null || { echo "tests/packages: $tool is missing: tools/install_dependencies.sh --packages" >&2; exit 1; }
done
ls build/packages/svcd_*.deb >/dev/null || { echo "tests/packages: no packages; make packages" >&2; exit 1; }

begun=$(date +%s)
step() { echo "== $1 ($(($(date +%s) - begun)) s)"; }
used=$PWD/build/bare/used

step "lintian"
lintian --allow-root --fail-on error build/packages/*.deb

step "the same with a higher version"
tools/build_packages.sh 2 build/packages-next >/dev/null

step "a bare Debian 12"
. tests/packages/bare_system.sh
[ -n "${TEST_KEEP:-}" ] || trap 'rm -rf "$used"' EXIT
bare_copy "$used" postgresql redis-server haproxy man-db curl jq
mkdir "$used/packages/next"
cp tests/packages/inside.sh tests/packages/restore.sh deploy/haproxy/haproxy.cfg "$used/packages/"
for page in runbook backup; do tests/packages/blocks.py "docs/$page.md" "$used/packages/blocks/$page"; done
cp build/packages-next/*.deb "$used/packages/next/"

cat >"$used/etc/systemd/system/packages-test.service" <<'END'
[Unit]
After=basic.target
SuccessAction=poweroff
FailureAction=poweroff
[Service]
Type=oneshot
ExecStart=/bin/bash /packages/inside.sh
StandardOutput=append:/packages/output
StandardError=inherit
TimeoutStartSec=300
[Install]
WantedBy=multi-user.target
END
ln -s /etc/systemd/system/packages-test.service "$used/etc/systemd/system/multi-user.target.wants/"

step "boot it"
timeout --kill-after=10 360 systemd-nspawn --quiet --register=no --keep-unit --private-network --capability=all \
  --directory="$used" --boot </dev/null >build/bare/console 2>&1 || true
if ! cat "$used/packages/output" 2>/dev/null; then
  tail -20 build/bare/console >&2
  echo "tests/packages: the system did not boot; build/bare/console has what it said" >&2
  exit 1
fi
step "done"
grep -q '^all as expected$' "$used/packages/output"
