# shellcheck shell=bash
# Sourced by machines.sh: machines, what is executed on them, and what is asked.
failed=0
declare -A leader=() nspawn=()

make_disk() {
  local disk=$place/svc-$1
  mkdir -p "$disk" "$place/upper/$1" "$place/overlay/$1"
  # The machines differ from one disk only by what they write.
  mount -t overlay overlay -o "lowerdir=$place/disk,upperdir=$place/upper/$1,workdir=$place/overlay/$1" "$disk"
  echo "svc-$1" >"$disk/etc/hostname"
  # Debian's installer writes it, debootstrap does not.
  echo '127.0.0.1 localhost' >"$disk/etc/hosts"
  echo 'APT::Get::Assume-Yes "true";' >"$disk/etc/apt/apt.conf.d/99yes"
  mkdir -m 0700 "$disk/root/setup"
  cp "$place"/disk/packages/*.deb "$disk/root/setup/"
}

boot() {
  systemd-nspawn --quiet --register=no --keep-unit --network-bridge=machines --machine="svc-$1" --capability=all \
    --directory="$place/svc-$1" --boot </dev/null >>"$place/console-$1" 2>&1 &
  nspawn[$1]=$!
  eventually 60 has_leader "$1" || die "svc-$1 does not boot" "$place/console-$1"
  nsenter --target "${leader[$1]}" --net ip address add "10.0.0.1$1/24" dev host0
  nsenter --target "${leader[$1]}" --net ip link set host0 up
  eventually 90 on "$1" 'systemctl is-active --quiet basic.target 2>/dev/null' || die "svc-$1 does not start" "$place/console-$1"
}
# Its first process, once that is systemd itself.
has_leader() { leader[$1]=$(pgrep --parent "${nspawn[$1]}" --exact systemd); }

# As a machine loses its power.
power_off() {
  kill -KILL "${leader[$1]}"
  wait "${nspawn[$1]}" || true
}

# on N COMMANDS: as root, in /root/setup of svc-N. What hangs fails.
on() {
  timeout 300 nsenter --target "${leader[$1]}" --mount --uts --ipc --net --pid -- env -i HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    bash -euo pipefail -c "cd /root/setup; $2"
}
on_both() { "$@" 1 && "$@" 2; }

# step FILE: a block of the page, on the machines that it is for, on all of them at a time.
step() {
  local machine machines commands running=()
  commands=$(cat "$1")
  machines=$(basename "$1" | cut -d. -f2- | tr . ' ')
  say "block $(basename "$1" | cut -d. -f1) on $machines: $(grep -m 1 -v -e '^ ' -e '^[a-z]*=' "$1" | cut -c1-80)"
  for machine in $machines; do
    on "${machine#svc-}" "$commands" >"$place/said.$machine" 2>&1 &
    running+=($!)
  done
  for machine in $machines; do
    wait "${running[0]}" || die "$(basename "$1") fails on $machine" "$place/said.$machine"
    running=("${running[@]:1}")
  done
  tail -n 1 "$place/said.$machine" | cut -c1-150 | sed 's/^/         /'
}

# What the page has people copy from svc-1.
share_files() {
  local n file
  for n in 2 3; do
    for file in "$place"/svc-1/root/setup/*.{pem,key,password,token}; do
      case $file in
        */ca.key | *\**) ;;
        *) cp "$file" "$place/svc-$n/root/setup/" ;;
      esac
    done
  done
}

die() {
  echo "FAIL  $1"
  tail -40 "$2"
  exit 1
}
show() { sed 's/^/         /' "$place/said" | cut -c1-160; }
check() {
  local sentence=$1
  shift
  if "$@" >"$place/said" 2>&1; then
    say "ok    $sentence"
  else
    say "FAIL  $sentence"
    tail -20 "$place/said"
    for n in 1 2; do
      if [ -d "/proc/${leader[$n]}" ]; then
        on $n 'journalctl -q -n 200 -u svcd -o cat | grep -v \"request\" | tail -10' | cut -c1-300 || true
      fi
    done
    failed=1
  fi
}
not() { ! "$@"; }
eventually() {
  local until=$(($(date +%s) + $1))
  shift
  until "$@"; do
    [ "$(date +%s)" -lt "$until" ] || return 1
    sleep 0.2
  done
}

client='export SERVICE_TOKEN=$(cat ada.token) SERVICE_URL=https://api.example.org:8443 SERVICE_CACERT=$PWD/ca.pem;'
api='curl -sS --max-time 10 --cacert ca.pem https://api.example.org:8443/api'
whoami() { on 3 "$client svc whoami"; }
run() { on 3 "$client svc job trigger hello --follow --timeout 90 2>&1 | tee run.said; grep -q 'hello from' run.said"; }
# change NAME: makes a test of that name, once.
change() {
  on 3 "printf 'header = \"Authorization: Bearer %s\"' \$(cat ada.token) | $api/tests --config - -o answer -w '%{http_code}\n' \
    -H 'Content-Type: application/json' -d '{\"title\":\"$1\",\"type\":\"command\",\"script\":\"true\"}' | tee code; grep -q 201 code"
}
has_changes() {
  local name
  on 3 "$client svc test list --all --json >tests.json" || return 1
  for name in "$@"; do on 3 "grep -q '\"$name\"' tests.json" || return 1; done
}
# Six times, so that both instances are asked.
leaked_is() {
  local said
  for _ in 1 2 3 4 5 6; do
    said=$(on 3 "printf 'header = \"Authorization: Bearer %s\"' \$(cat leaked.token) | $api/auth/whoami --config - -o answer -w '%{http_code}'")
    [ "$said" = "$1" ] || { echo "$said, not $1"; return 1; }
  done
}
primary_is() { on 3 "REDISCLI_AUTH=\$(cat sentinel.password) redis-cli --tls --cacert ca.pem -p 26379 sentinel get-master-addr-by-name svc | grep -qx $1"; }
trusts() { on "$1" "curl -fsS http://127.0.0.1:9464/metrics | grep '^svc_redis_trusted' | tee trusted; ! grep -q ' 0$' trusted"; }

# A user who asks all the time.
users_begin() {
  on 3 "rm -f enough; : >codes; until [ -e enough ]; do
    printf 'header = \"Authorization: Bearer %s\"' \$(cat ada.token) | $api/tests --config - -o /dev/null -w '%{http_code}\n' >>codes || echo failed >>codes
    sleep 0.1; done" &
  users=$!
}
users_end() {
  on 3 'touch enough'
  wait "$users"
  say "$(on 3 'sort codes | uniq -c' | xargs) answers of a user who asked meanwhile"
}
users_had_no_failure() { on 3 '[ $(grep -c 200 codes) -ge 20 ]; ! grep -v -e 200 codes'; }
