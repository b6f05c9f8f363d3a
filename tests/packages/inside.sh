#!/bin/bash
# What tests/packages/run.sh does in the bare system, as its root. The steps of docs/operating.md, then upgrade, removal
# and purge. Says `all as expected` at its end, or what is not.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 HOME=/root
cd /root
failed=0

# check SENTENCE COMMAND...: a command that must succeed.
check() {
  local sentence=$1
  shift
  if "$@" >/tmp/said 2>&1; then
    echo "ok    $sentence"
  else
    echo "FAIL  $sentence"
    sed 's/^/      /' /tmp/said | tail -20
    journalctl --sync
    journalctl -q --no-hostname -n 20 -u svcd -u svc-runner -u haproxy | cut -c1-300 | sed 's/^/      /'
    failed=1
  fi
}
not() { ! "$@"; }
is() { [ "$1" = "$2" ] || { echo "$1, not $2"; return 1; }; }
about() { is "$(stat -c '%A %U:%G' "$1")" "$2"; }
# eventually SECONDS COMMAND...
eventually() {
  local until=$(($(date +%s) + $1))
  shift
  until "$@"; do
    [ "$(date +%s)" -lt "$until" ] || return 1
    sleep 0.2
  done
}
apt() { apt-get -qq -y -o Dpkg::Use-Pty=0 "$@"; }
unit_is() { is "$(systemctl show --value --property "$2" "$1")" "$3"; }
ours=(svcd svc-runner svc svcd-doc)

echo "-- install"
check "apt installs the four packages and what they depend on" apt install /packages/*.deb
check "what a stranger's machine has besides" apt install postgresql redis-server haproxy man-db curl jq
check "the system user svcd, without a shell" is "$(getent passwd svcd | cut -d: -f1,6,7)" svcd:/nonexistent:/usr/sbin/nologin
check "/etc/svcd" about /etc/svcd "drwxr-x--- root:svcd"
check "/etc/svcd/svcd.toml" about /etc/svcd/svcd.toml "-rw-r----- root:svcd"
check "/etc/svc-runner" about /etc/svc-runner "drwxr-x--- root:root"
check "/etc/svc-runner/runner.toml" about /etc/svc-runner/runner.toml "-rw-r----- root:root"
check "both are conffiles" is "$(dpkg-query -W -f '${Conffiles}\n' svcd svc-runner | awk 'NF { print $1 }' | sort | xargs)" \
  "/etc/svc-runner/runner.toml /etc/svcd/svcd.toml"
for program in svcd svc-runner svc; do
  check "$program --version" sh -c "$program --version | grep -q '^$program [0-9]'"
  check "$program --help" sh -c "$program --help | grep -q -- --help"
  check "man $program" sh -c "man $program | grep -q NAME"
  check "completion of $program for bash" bash -n "/usr/share/bash-completion/completions/$program"
done
check "man svc-job" sh -c "man svc-job | grep -q trigger"
check "completions of svc for zsh and fish" \
  test -s /usr/share/zsh/vendor-completions/_svc -a -s /usr/share/fish/vendor_completions.d/svc.fish
# Each command that help knows stands in the page.
for command in $(svcd --help | sed -n '/^Subcommands/,/^$/s/^  \([a-z-]*\) .*/\1/p'); do
  check "svcd(8) has $command" sh -c "zcat /usr/share/man/man8/svcd.8.gz | grep -q '^\.It Cm $command'"
done
check "documents, and what they link to beside them" sh -c '
  cd /usr/share/doc/svcd-doc && test -s openapi/openapi.yaml || exit 1
  for page in docs/*.md; do
    for link in $(grep -oE "]\(\.\./(deploy|openapi|schema)[^)#]*" "$page" | cut -c3-); do
      test -e "docs/$link" || { echo "$page: $link"; exit 1; }
    done
  done'
for unit in svcd.service svcd.socket svc-runner.service; do
  check "$unit is sound" is "$(systemd-analyze verify $unit 2>&1 | grep "${unit%.*}")" ""
  check "$unit is not enabled" unit_is $unit UnitFileState disabled
  check "$unit is not started" unit_is $unit ActiveState inactive
done

echo "-- docs/operating.md"
roles() {
  runuser -u postgres -- psql -q -v ON_ERROR_STOP=1 <<'END'
CREATE ROLE svc_service NOLOGIN;
CREATE ROLE svc_owner LOGIN PASSWORD 'first-password';
CREATE ROLE svc_app LOGIN PASSWORD 'second-password' IN ROLE svc_service;
CREATE DATABASE svc OWNER svc_owner;
END
}
check "roles and database" eventually 20 roles
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 365 -subj /CN=api.example.org \
  -addext subjectAltName=DNS:api.example.org,DNS:localhost,IP:127.0.0.1 -keyout privkey.pem -out fullchain.pem 2>/dev/null
openssl rand -hex 32 | install -m 0640 -g svcd /dev/stdin /etc/svcd/master.key
install -m 0640 -g svcd fullchain.pem /etc/svcd/tls-cert.pem
install -m 0640 -g svcd privkey.pem /etc/svcd/tls-key.pem
sed -i -e 's|^url = "postgresql://.*|url = "postgresql://svc_app:second-password@127.0.0.1/svc"|' \
  -e 's|^url = "rediss://.*|url = "redis://127.0.0.1:6379"|' \
  -e 's|^# trusted_proxies = .*|trusted_proxies = ["127.0.0.1/32"]|' \
  -e 's|^drain_delay = .*|drain_delay = "1s"|' \
  -e 's|^address = "0.0.0.0:8443"|address = "127.0.0.1:18443"\nproxy_protocol = true\n[[listeners]]\naddress = "127.0.0.1:18444"\nproxy_protocol = true\nkind = "internal"\n[[listeners]]\naddress = "127.0.0.1:28443"|' \
  /etc/svcd/svcd.toml
edited=$(sha256sum /etc/svcd/svcd.toml)
config="--config /etc/svcd/svcd.toml"
check "svcd check-config" svcd check-config $config
export SVC_POSTGRES_MIGRATE_URL=postgresql://svc_owner:first-password@127.0.0.1/svc
check "svcd migrate" svcd migrate $config
unset SVC_POSTGRES_MIGRATE_URL
check "systemctl enable --now svcd" systemctl enable --now svcd
ready() { curl -fsS http://127.0.0.1:9464/readyz; }
# Type=notify: systemctl returned when it was.
check "it is ready" ready
check "it says so to systemd" unit_is svcd Type notify
check "it is active" unit_is svcd ActiveState active
status_has() { systemctl show --value --property StatusText svcd | grep -qF "$1"; }
check "its status says where" status_has "serving on 127.0.0.1:18443; configuration loaded"
check "systemd watches it" unit_is svcd WatchdogUSec 30s
check "it runs as svcd" is "$(ps -o user= -C svcd)" svcd
admin() { svcd admin "$1" $config "${@:2}"; }
check "user" admin create-user --email ada@example.org --name "Ada Lovelace"
check "organization" admin create-organization --slug acme --name Acme
check "project" admin create-project --organization acme --slug shop --name Shop
check "member of the organization" admin add-member --organization acme --user ada@example.org --role org_member
check "member of the project" admin add-member --project acme/shop --user ada@example.org --role project_editor
token=$(admin create-token --json --project acme/shop --owner ada@example.org --name ci | jq -r .key)
check "audit" admin audit --organization acme
check "the service hands out the client of its package" sh -c 'curl -fsS --cacert fullchain.pem \
  https://localhost:28443/cli/svc-linux-$(dpkg --print-architecture) | cmp - /usr/lib/svcd/cli/svc-linux-$(dpkg --print-architecture)'
check "/livez over TLS" curl -fsS --cacert fullchain.pem https://localhost:28443/livez
call() { SERVICE_TOKEN=$token svc --url "$1" --cacert fullchain.pem "${@:2}"; }
check "svc whoami with the first token" call https://localhost:28443 whoami
check "no token, no answer" is "$(curl -s -o /dev/null -w '%{http_code}' --cacert fullchain.pem https://localhost:28443/api/jobs)" 401

echo "-- reload, and restarts behind svcd.socket"
limit() {
  curl -s -o /dev/null -D - --cacert fullchain.pem -H "Authorization: Bearer $token" https://localhost:28443/api/auth/whoami |
    tr -d '\r' | sed -n 's/^x-ratelimit-limit: //Ip'
}
limit_is() { is "$(limit)" "$1"; }
usual=$(limit || true)
cp -p /etc/svcd/svcd.toml svcd.toml.kept
printf '[limits.cli]\nlimit = 4321\n' >>/etc/svcd/svcd.toml
check "systemctl reload" systemctl reload svcd
check "the changed limit holds" eventually 10 limit_is 4321
sed -i 's/^limit = 4321$/limit = "many"/' /etc/svcd/svcd.toml
check "systemctl reload with a broken file" systemctl reload svcd
check "its status says that it was refused" eventually 10 status_has "configuration refused"
check "the limit is as before" limit_is 4321
check "it serves" ready
cp -p svcd.toml.kept /etc/svcd/svcd.toml
check "systemctl reload with the file of before" systemctl reload svcd
check "its status says that it was loaded" eventually 10 status_has "configuration loaded"
check "the limit is that of before" limit_is "$usual"

# On the listener that curl can talk to, which is the second public one.
mkdir -p /etc/systemd/system/svcd.socket.d
printf '[Socket]\nListenStream=\nListenStream=127.0.0.1:28443\nFileDescriptorName=public-2\n' \
  >/etc/systemd/system/svcd.socket.d/address.conf
systemctl daemon-reload
# More starts than StartLimitBurst= allows in ten seconds.
systemctl reset-failed svcd
check "svcd.socket takes the address" sh -c "systemctl stop svcd && systemctl enable --now svcd.socket && systemctl start svcd"
: >answers
until [ -e enough ]; do
  curl -sS --max-time 20 -o /dev/null -w '%{http_code}\n' --cacert fullchain.pem https://127.0.0.1:28443/livez >>answers 2>&1 || true
  sleep 0.02
done &
for n in 1 2 3; do check "restart $n" systemctl restart svcd; done
touch enough
wait
check "meanwhile clients were answered" test "$(grep -c '^200$' answers)" -ge 20
# 429: the window of health checks is finite.
check "and none was refused or left without an answer" is "$(grep -v -e '^200$' -e '^429$' answers)" ""
check "without the socket again" sh -c "systemctl disable --now svcd.socket && systemctl restart svcd"
rm -r enough answers svcd.toml.kept /etc/systemd/system/svcd.socket.d
systemctl daemon-reload
systemctl reset-failed svcd
check "it is ready" ready

echo "-- docs/runbook.md, after starts, reloads and stops"
block() { bash -euo pipefail "/packages/blocks/$1"; }
journal_has() { journalctl -q -o cat -u svcd | grep -q "$1"; }
check "the journal has lines of systemd itself" eventually 10 journal_has '^Starting svcd'
check "it has the end of a reload" journal_has '^Reloaded svcd'
runbook() { block runbook/01.sh >/tmp/said.runbook 2>&1 || { cat /tmp/said.runbook; return 1; }; }
check "the block at the top is executed" runbook
check "it shows the refused configuration" grep -q 'the configuration cannot be used' /tmp/said.runbook
check "it shows metrics" grep -q '^svc_redis_up' /tmp/said.runbook
check "there is no other block" is "$(ls /packages/blocks/runbook)" 01.sh

echo "-- two instances behind HAProxy, and a runner"
# The second one of this machine, with the package's unit, on ports of its own.
sed -e 's/:1844/:1944/; s/:28443/:29443/; s/127.0.0.1:9464/127.0.0.1:9465/' /etc/svcd/svcd.toml |
  install -m 0640 -g svcd /dev/stdin /etc/svcd/second.toml
sed 's|svcd.toml|second.toml|; s|RuntimeDirectory=svcd|&-second|' /lib/systemd/system/svcd.service >/etc/systemd/system/svcd-second.service
systemctl daemon-reload
check "the second instance" systemctl start svcd-second
ready_second() { curl -fsS http://127.0.0.1:9465/readyz; }
check "it is ready" eventually 20 ready_second
install -m 0644 fullchain.pem /etc/haproxy/svcd-ca.pem
sed -e '/server svc-1/s/:844/:1844/; /server svc-2/s/:844/:1944/; s/svc-[12]:/127.0.0.1:/' \
  -e '/svc-1/s/port 8/port 18/; /svc-2/s/port 8/port 19/' /packages/haproxy.cfg >/etc/haproxy/haproxy.cfg
check "haproxy -c" haproxy -c -f /etc/haproxy/haproxy.cfg
check "HAProxy starts" systemctl restart haproxy
front=https://localhost:8443
check "svc whoami through HAProxy" eventually 10 call $front whoami
through() { for _ in $(seq 6); do call $front whoami >/dev/null || return 1; done; }
check "while the first instance is stopped" sh -c "systemctl stop svcd"
check "the other one serves" eventually 10 through
systemctl start svcd
check "and it comes back" eventually 20 ready

admin create-runner --json --organization acme --name farm | jq -r .key | install -m 0600 /dev/stdin /etc/svc-runner/token
install -m 0640 fullchain.pem /etc/svc-runner/ca.pem
sed -i -e 's|^url = .*|url = "https://localhost:8444"|' -e 's|^# ca_file|ca_file|' /etc/svc-runner/runner.toml
check "svc-runner --check-config" svc-runner --check-config --config /etc/svc-runner/runner.toml
sed 's/^/      /' /tmp/said
check "systemctl enable --now svc-runner" systemctl enable --now svc-runner
echo 'echo hello from uid $(id -u)' >hello.sh
check "svc test create" call $front test create hello --type command --script hello.sh
check "svc job create" call $front job create hello --type command --test hello
run() { call $front job trigger hello --follow --timeout 60 && grep -q "hello from uid" /tmp/said; }
check "a job runs on it, and its output comes back" run

echo "-- docs/backup.md"
. /packages/restore.sh

echo "-- upgrade"
before=$(systemctl show --value --property MainPID svcd)
check "apt installs the higher version" apt install /packages/next/*.deb
check "its version" is "$(dpkg-query -W -f '${Version}' svcd | sed 's/.*-//')" 2
check "the edited configuration is kept" is "$(sha256sum /etc/svcd/svcd.toml)" "$edited"
check "its owner and mode, too" about /etc/svcd/svcd.toml "-rw-r----- root:svcd"
check "the running instance is left alone" is "$(systemctl show --value --property MainPID svcd)" "$before"
check "it is still enabled" unit_is svcd UnitFileState enabled
check "systemctl restart svcd" systemctl restart svcd
check "it is ready" eventually 20 ready
check "the token works" eventually 10 call $front whoami
# A start waits for the stores, for which apt must not wait.
systemctl stop svcd
check "the same version again, while it is stopped" apt --reinstall install /packages/next/svcd_*.deb
check "it is not started" unit_is svcd ActiveState inactive
check "systemctl start svcd" systemctl start svcd
# A version whose own configuration changed, too.
dpkg-deb -R /packages/next/svcd_*.deb changed
echo "# changed" >>changed/etc/svcd/svcd.toml
sed -i 's/^\(Version: .*\)-2$/\1-3/' changed/DEBIAN/control
dpkg-deb -b changed changed.deb >/dev/null
check "a version with another configuration" apt -o Dpkg::Options::=--force-confold install ./changed.deb
check "the edited one is kept" is "$(sha256sum /etc/svcd/svcd.toml)" "$edited"
check "the other one lies beside it" test -e /etc/svcd/svcd.toml.dpkg-dist

echo "-- remove, purge, and again"
systemctl stop svcd-second
rm /etc/systemd/system/svcd-second.service /etc/svcd/second.toml
check "apt-get remove" apt remove "${ours[@]}"
check "the service is stopped" not pgrep -x svcd
check "the runner is stopped" not pgrep -x svc-runner
check "the program is gone" not test -e /usr/bin/svcd
check "the configuration is kept" is "$(sha256sum /etc/svcd/svcd.toml)" "$edited"
check "the user is kept" getent passwd svcd
check "apt-get purge" apt purge "${ours[@]}"
check "the configuration is gone, the master key is not" \
  is "$(cd /etc/svcd && ls | xargs)" "master.key tls-cert.pem tls-key.pem"
check "it is readable for root alone" about /etc/svcd/master.key "-rw-r----- root:root"
check "the runner's token is kept" about /etc/svc-runner/token "-rw------- root:root"
check "the user is gone" not getent passwd svcd
check "the group is gone" not getent group svcd
rm -r /etc/svcd /etc/svc-runner /etc/haproxy/svcd-ca.pem
check "nothing else is left" is "$(find / -xdev \( -path /proc -o -path /sys -o -path /packages -o -path /var/lib/postgresql \
  -o -path /tmp -o -path /root -o -path /var/cache -o -path /usr/share/doc/libpq5 \) -prune -o \
  \( -name 'svcd*' -o -name 'svc-runner*' -o -name 'svc' -o -name 'svc.*' -o -name 'svc-*' \) -print | grep -v journal | xargs)" ""
files() { find /etc /usr /var/lib /lib /root -xdev -not -path '/var/lib/postgresql/*' -not -path '/var/lib/redis/*' \
  -not -path '/var/lib/apt/*' -not -path '/var/lib/dpkg/*' -not -path '/var/lib/systemd/*' -printf '%M %u:%g %p\n' | sort; }
accounts() { sort /etc/passwd /etc/group /etc/shadow; }
files >/tmp/files.before
accounts >/tmp/accounts.before
check "a second installation" apt install /packages/*.deb
check "its user" getent passwd svcd
check "its configuration" about /etc/svcd/svcd.toml "-rw-r----- root:svcd"
check "it is not started" unit_is svcd ActiveState inactive
check "a second purge" apt purge "${ours[@]}"
files >/tmp/files.after
accounts >/tmp/accounts.after
check "every file is as before" diff /tmp/files.before /tmp/files.after
check "every account, too" diff /tmp/accounts.before /tmp/accounts.after

if [ "$failed" = 0 ]; then echo "all as expected"; fi
