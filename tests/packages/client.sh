#!/bin/bash
# Installs and uses the client in bare Debian 12 and 13, by the one line of docs/cli.md, from a service of this build.
# usage: tests/packages/client.sh   (as root; `make test-client` builds before. Needs a mirror that apt here knows)
# build/bare keeps the bare systems between runs; SVC_BIN=PATH is another service than build/release has. The systems share this machine's network, so that the client reaches the
# service; each command there is printed as it is executed.
set -euo pipefail
cd "$(dirname "$0")/../.."

[ "$(id -u)" -eq 0 ] || { echo "tests/packages/client.sh: run it as root: it makes root file systems (debootstrap)." >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "tests/packages: debootstrap is missing: tools/install_dependencies.sh --packages" >&2; exit 1; }
architecture=$(dpkg --print-architecture)
client=build/client/svc-linux-$architecture
[ -x "$client" ] || { echo "tests/packages: no client; make test-client" >&2; exit 1; }
mirror=$(apt-get indextargets 'Created-By: Packages' 'Origin: Debian' --format '$(REPO_URI) $(RELEASE)' |
  awk '$2 == "bookworm" { print $1; exit }')
[ -n "$mirror" ] || { echo "tests/packages: apt here knows no mirror of Debian 12; run apt-get update" >&2; exit 1; }
most_seconds=20 # from the line to the end of the run, without packages

place=$(mktemp -d)
chmod 711 "$place" # the user of the stores passes through
service=''
end() {
  [ -z "$service" ] || { kill "$service" && wait "$service" || true; }
  rm -rf "$place" build/bare/client-used
}
trap end EXIT
failed=0
# check SENTENCE COMMAND...: a command that must succeed.
check() {
  local sentence=$1
  shift
  if "$@" >"$place/said" 2>&1; then echo "ok    $sentence"; else
    echo "FAIL  $sentence"
    sed 's/^/      /' "$place/said" | tail -20
    failed=1
  fi
}

# bare SUITE: a system with nothing but what Debian requires, in build/bare/client-SUITE.
bare() {
  local root=build/bare/client-$1
  [ ! -e "$root/etc/debian_version" ] || return 0
  rm -rf "$root" "$root.new"
  mkdir -p build/bare
  debootstrap --variant=minbase "$1" "$root.new" "$mirror" >build/bare/log 2>&1 || { tail -5 build/bare/log >&2; return 1; }
  rm -f "$root.new"/var/cache/apt/archives/*.deb
  mv "$root.new" "$root"
}

# in_system COMMAND: executes it in the used copy, as a user's shell would.
in_system() {
  unshare --mount sh -c 'mount -t proc proc build/bare/client-used/proc && exec "$@"' sh \
    chroot build/bare/client-used env -i HOME=/root PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin \
    SERVICE_CACERT=/root/ca.pem LC_ALL=C.UTF-8 sh -c "$1"
}

# use SUITE PACKAGE...: a fresh copy of the system, with these packages.
use() {
  local suite=$1
  shift
  rm -rf build/bare/client-used
  cp -a --reflink=auto "build/bare/client-$suite" build/bare/client-used
  cp /etc/resolv.conf build/bare/client-used/etc/resolv.conf
  apt-config dump | grep -E '^Acquire::(http|https)::' >build/bare/client-used/etc/apt/apt.conf.d/99here || true
  cp "$authority" build/bare/client-used/root/ca.pem
  [ $# -eq 0 ] || in_system "export DEBIAN_FRONTEND=noninteractive; apt-get update -qq && apt-get install -qq -y --no-install-recommends $*" \
    >build/bare/log 2>&1 || { tail -20 build/bare/log >&2; return 1; }
}

# from_nothing SUITE: the lines of a pipeline in a bare system, and how long they take.
from_nothing() {
  use "$1" curl ca-certificates
  echo "-- $(in_system 'cat /etc/debian_version'): curl, ca-certificates and what they depend on"
  local begun junit=''
  begun=$(date +%s)
  cat >build/bare/client-used/root/lines.sh <<END
set -ex
curl -fsSL --cacert /root/ca.pem $url/cli/install.sh | sh
svc login --token - <<TEXT
\$TOKEN
TEXT
svc job trigger Hello --follow REPORT
END
  if in_system 'curl -fsSL --cacert /root/ca.pem '"$url"'/cli/install.sh | sh >/dev/null && svc job trigger --help | grep -q -e --junit'; then
    junit='--junit report.xml'
  fi
  rm -f build/bare/client-used/usr/local/bin/svc
  rm -rf build/bare/client-used/root/.config
  sed -i "s/REPORT/$junit/" build/bare/client-used/root/lines.sh
  check "Debian $1: the line, the login and a run that is followed to its end" in_system "cd /root && TOKEN=$token sh lines.sh"
  cp "$place/said" "$place/transcript"
  sed 's/^/      /' "$place/transcript"
  local took=$(($(date +%s) - begun))
  check "they took $took s, at most $most_seconds" test "$took" -le "$most_seconds"
  [ -z "$junit" ] || check "the report is there" test -s build/bare/client-used/root/report.xml
  check "the token was in no command line that the shell printed" sh -c "grep -q 'svc login' '$place/transcript' && ! grep -q svc_live_ '$place/transcript'"
  check "svc update finds nothing to do" in_system 'svc update 2>&1 | grep -q already'
}

# refuses SUITE SENTENCE: the line ends with the sentence, and leaves nothing.
refuses() {
  cat >build/bare/client-used/usr/bin/curl <<'END'
#!/bin/sh
while [ "$1" != -o ]; do shift; done
cp /root/svc "$2"
END
  chmod 755 build/bare/client-used/usr/bin/curl
  cp "$client" build/bare/client-used/root/svc
  curl -fsS --cacert "$authority" "$url/cli/install.sh" >build/bare/client-used/root/install.sh
  check "Debian $1: $2" sh -c '! "$@" 2>&1' refuses chroot build/bare/client-used env -i HOME=/root PATH=/usr/bin:/bin sh /root/install.sh
  cp "$place/said" "$place/refusal"
  check "  it says so" grep -q "$2" "$place/refusal"
  check "  nothing was installed" sh -c 'test -z "$(ls -A build/bare/client-used/usr/local/bin)" && ! test -e build/bare/client-used/root/.config'
}

echo "== the service"
SVC_CLI_DIRECTORY=$PWD/build/client "${SVC_BIN:-build/release/bin/svcd}" dev --data-dir "$place/dev" --print json \
  --listen 127.0.0.1:0 --admin 127.0.0.1:0 >"$place/started" 2>"$place/log" &
service=$!
for _ in $(seq 600); do [ ! -s "$place/started" ] || break; sleep 0.1; done
url=$(jq -r .url "$place/started") authority=$(jq -r .caFile "$place/started") token=$(jq -r .token "$place/started")
[ -n "$url" ] || { tail -5 "$place/log" >&2; exit 1; }

check "the client's libraries, symbols and size" tools/check_client.sh build/client/svc-linux-*
for suite in bookworm trixie; do
  echo "== Debian $suite"
  bare "$suite"
  from_nothing "$suite"
done
echo "== systems that the client does not fit"
use trixie
refuses trixie "svc needs libcurl, which is not installed"
if bare bullseye; then
  use bullseye
  refuses bullseye "svc needs glibc 2.36 or newer, and this system has glibc 2.31"
else
  echo "      Debian 11 is not on this mirror, so no real old glibc was tried"
fi

echo "== the default address"
use bookworm curl ca-certificates
cp "$client" "$place/without"
SVC_DEFAULT_URL=$url tools/build_client.sh "$architecture" >"$place/said" 2>&1 || { cat "$place/said" >&2; exit 1; }
cp "$client" build/bare/client-used/usr/local/bin/svc
check "a client that was built with SVC_DEFAULT_URL needs no other address" in_system 'svc health'
tools/build_client.sh "$architecture" >"$place/said" 2>&1 || { cat "$place/said" >&2; exit 1; }
cp "$client" build/bare/client-used/usr/local/bin/svc
check "one without it asks for an address" in_system '! svc health 2>"$HOME/said"; grep -q "address of the service is not known" "$HOME/said"'

echo "== arm64"
if [ ! -x build/client/svc-linux-arm64 ]; then
  echo "      not built: tools/build_client.sh arm64"
elif command -v qemu-aarch64-static >/dev/null; then
  check "the client for arm64 starts" sh -c 'qemu-aarch64-static -L build/sysroot-arm64 build/client/svc-linux-arm64 --version | grep -q "^svc [0-9]"'
else
  echo "      no emulator here (qemu-user-static): only its headers were checked"
fi
[ "$failed" = 0 ] && echo "all as expected"
exit "$failed"
