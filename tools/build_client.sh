#!/bin/bash
# Builds the client as it is shipped and served, and checks it: build/client/svc-linux-ARCH.
# usage: tools/build_client.sh amd64|arm64...
# SVC_DEFAULT_URL is the address that it uses when nothing else names one. Another architecture than this machine's is
# compiled against a sysroot, build/sysroot-ARCH, of the Debian packages that apt here finds; nothing is installed.
set -euo pipefail
cd "$(dirname "$0")/.."

# The packages of the sysroot: what the client is compiled against (tools/install_dependencies.sh --cli), and the C++
# runtime that clang uses.
packages=(libc6-dev libstdc++-12-dev libboost1.81-dev libboost-json1.81-dev libssl-dev libcurl4-openssl-dev
  libutf8proc-dev prometheus-cpp-dev libhowardhinnant-date-dev libtomlplusplus-dev libcli11-dev)

# make_sysroot ARCH: asks apt for the packages of another architecture, with a state of its own.
make_sysroot() {
  local root=build/sysroot-$1 state=$PWD/build/sysroot-$1.apt
  [ ! -e "$root/.complete" ] || return 0
  rm -rf "$root" "$state"
  mkdir -p "$root" "$state/lists/partial" "$state/archives/partial"
  : >"$state/status"
  cat >"$state/apt.conf" <<END
APT::Architecture "$1";
APT::Architectures { "$1"; };
Dir::State "$state";
Dir::State::status "$state/status";
Dir::Cache "$state";
Dir::Cache::archives "$state/archives";
END
  echo "build_client: a sysroot for $1"
  if ! { APT_CONFIG=$state/apt.conf apt-get update &&
    APT_CONFIG=$state/apt.conf apt-get install -y --download-only --no-install-recommends "${packages[@]}"; } >"$state/log" 2>&1; then
    tail -5 "$state/log" >&2
    echo "build_client: apt here finds no packages of $1; their list is in tools/build_client.sh" >&2
    exit 1
  fi
  local package
  for package in "$state"/archives/*.deb; do dpkg-deb --extract "$package" "$root"; done
  # Packages from before the merge of /lib and /usr/lib name their files in /lib.
  if [ -d "$root/lib" ] && [ ! -L "$root/lib" ]; then
    cp -a "$root/lib/." "$root/usr/lib/"
    rm -rf "${root:?}/lib"
    ln -s usr/lib "$root/lib"
  fi
  # Absolute links lead out of the sysroot; without libm.so the linker would take libm.a.
  local link
  find "$root" -lname '/*' -print | while IFS= read -r link; do
    ln -sfn "$(realpath -ms --relative-to="$(dirname "$link")" "$root$(readlink "$link")")" "$link"
  done
  rm -rf "$state"
  touch "$root/.complete"
}

[ $# -gt 0 ] || { sed -n '2,5s/^# //p' "$0"; exit 2; }
mkdir -p build/client
for arch in "$@"; do
  case "$arch" in amd64|arm64) ;; *) echo "build_client: $arch is neither amd64 nor arm64" >&2; exit 2 ;; esac
  preset=cli
  if [ "$arch" != "$(dpkg --print-architecture)" ]; then
    [ "$arch" = arm64 ] || { echo "build_client: only arm64 is compiled on another machine" >&2; exit 2; }
    preset=cli-arm64
    make_sysroot arm64
  fi
  cmake --preset "$preset" "-DSVC_DEFAULT_URL=${SVC_DEFAULT_URL:-}" >/dev/null
  cmake --build --preset "$preset" --target svc
  cp "build/$preset/lib/svcd/cli/svc-linux-$arch" build/client/
  tools/check_client.sh "build/client/svc-linux-$arch"
done
