# shellcheck shell=bash
# Sourced by the tests here: makes build/bare/root, a bare Debian 12 from the mirror that apt on this machine knows, unless
# it is there. Sets bare, and sources: what its apt is to use.
bare=$PWD/build/bare/root
sources=$(apt-get indextargets 'Created-By: Packages' 'Origin: Debian' --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' |
  grep -E ' bookworm(-security|-updates)? main$')
mirror=$(awk '$3 == "bookworm" { print $2; exit }' <<<"$sources")
[ -n "$mirror" ] || { echo "tests/packages: apt here knows no mirror of Debian 12; run apt-get update" >&2; exit 1; }
if [ ! -e "$bare/etc/debian_version" ]; then
  rm -rf "$bare" "$bare.new"
  mkdir -p "$bare.new"
  debootstrap --variant=minbase --include=systemd-sysv,ca-certificates bookworm "$bare.new" "$mirror" >build/bare/log 2>&1 || {
    tail -5 build/bare/log >&2
    exit 1
  }
  rm -f "$bare.new"/var/cache/apt/archives/*.deb
  mv "$bare.new" "$bare"
fi

# bare_copy DIRECTORY PACKAGE...: the bare system again, with our packages in /packages and, fetched only, what they and
# PACKAGE... depend on: booted, it has no network, and apt there resolves what each package depends on.
bare_copy() {
  local copy=$1
  shift
  rm -rf "$copy"
  cp -a --reflink=auto "$bare" "$copy"
  echo "$sources" >"$copy/etc/apt/sources.list"
  apt-config dump | grep -E '^Acquire::(http|https)::' >"$copy/etc/apt/apt.conf.d/99here" || true
  cp /etc/resolv.conf "$copy/etc/resolv.conf"
  mkdir -p "$copy/packages"
  cp build/packages/*.deb "$copy/packages/"
  chroot "$copy" sh -euc 'export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -qq -y --download-only /packages/*.deb "$@"' sh "$@" >build/bare/log 2>&1 || {
    tail -20 build/bare/log >&2
    exit 1
  }
}
