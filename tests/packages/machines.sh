#!/bin/bash
# Executes `Three machines, step by step` of docs/operating.md on three bare Debian 12 that boot with their own systemd, then
# takes Redis's primary and a whole machine away.
# usage: tests/packages/machines.sh   (as root; `make test-packages` builds the packages before)
# What a block says goes to build/bare/three/said.*; TEST_KEEP=1 keeps it and the machines' disks.
set -euo pipefail
cd "$(dirname "$0")/../.."
place=$PWD/build/bare/three
if [ "${1:-}" != inside ]; then
  [ "$(id -u)" -eq 0 ] || { echo "tests/packages: run it as root: it boots three systems (systemd-nspawn)." >&2; exit 1; }
  for tool in debootstrap systemd-nspawn nsenter; do
    command -v "$tool" >/dev/null || { echo "tests/packages: $tool is missing: tools/install_dependencies.sh --packages" >&2; exit 1; }
  done
  ls build/packages/svcd_*.deb >/dev/null || { echo "tests/packages: no packages; make packages" >&2; exit 1; }
  rm -rf "$place"
  mkdir -p "$place/steps"
  [ -n "${TEST_KEEP:-}" ] || trap 'rm -rf "$place"' EXIT
  . tests/packages/bare_system.sh
  bare_copy "$place/disk" postgresql redis-server redis-sentinel haproxy curl jq
  tests/packages/steps.py docs/operating.md "Three machines, step by step" "$place/steps"
  # A network of their own, with which all ends.
  unshare --mount --net --pid --fork --mount-proc --kill-child "$0" inside
  exit
fi

begun=$(date +%s)
say() { printf '%3d s  %s\n' $(($(date +%s) - begun)) "$1"; }
. tests/packages/machines_support.sh

say "three machines boot"
ip link add machines type bridge
ip link set machines up
for n in 1 2 3; do
  make_disk $n
  boot $n
done

blocks=("$place"/steps/*)
say "the ${#blocks[@]} blocks of docs/operating.md, but for the last three"
for block in "${blocks[@]:0:${#blocks[@]}-3}"; do
  step "$block"
  share_files
done
lost=("${blocks[@]: -3}")

say "a token is revoked"
on 1 'svcd admin create-token --config /etc/svcd/svcd.toml --project acme/shop --owner ada@example.org --name leaked --json >leaked.json
  jq -r .key leaked.json >leaked.token'
share_files
check "it is let in" leaked_is 200
check "svcd admin revoke-token" on 1 'svcd admin revoke-token --config /etc/svcd/svcd.toml $(jq -r .id leaked.json)'
check "it is dead" leaked_is 401

say "Redis's primary is killed, on svc-1"
users_begin
# systemd would start it again.
on 1 'kill -KILL $(systemctl show --value --property MainPID redis-server); systemctl stop redis-server'
check "the sentinels make svc-2 the primary" eventually 120 primary_is 10.0.0.12
check "both instances trust it" eventually 60 on_both trusts
users_end
check "meanwhile no request of a user failed" users_had_no_failure
check "the revoked token is dead" leaked_is 401
check "a change counts" change between
check "a run is executed" run
on 1 'systemctl start redis-server'
check "the former primary follows" eventually 60 on 1 'REDISCLI_AUTH=$(cat redis.password) redis-cli --tls --cacert ca.pem -h svc-1 info replication | grep -q master_link_status:up'

say "the machine svc-1 is lost, with PostgreSQL's primary"
check "a last change is acknowledged" change last
power_off 1
check "reading goes on, by what is remembered" eventually 20 whoami
check "nobody is told that a change was made" not change refused
step "${lost[0]}"
promoted=$(date +%s)
check "changes are made again" eventually 60 change after
say "$(($(date +%s) - promoted)) s after the promotion"
check "the revoked token is dead" leaked_is 401
check "each acknowledged change is there" has_changes between last after
check "a run is executed" run

say "svc-1 comes back, as the standby"
boot 1
for block in "${lost[@]:1}"; do step "$block"; done
check "svcd check-config --connect" on 1 'svcd check-config --connect --config /etc/svcd/svcd.toml'
show
check "it serves" eventually 60 on 1 'curl -fsS http://127.0.0.1:9464/readyz'
check "both trust Redis" eventually 60 on_both trusts
check "a change waits for the standby" change again
check "the revoked token is dead" leaked_is 401
check "a run is executed" run

if [ "$failed" = 0 ]; then echo "all as expected"; else exit 1; fi
