#!/bin/bash
# Packs build/release into Debian packages. `make packages` builds it before.
# usage: tools/build_packages.sh [REVISION [DIRECTORY]]   (default: 1 build/packages; the version is CMakeLists.txt's)
# CLIENTS="arm64": clients of other architectures, which the service hands out too (tools/build_client.sh makes them).
# The same sources give the same bytes: every time in a package is that of the last commit.
set -euo pipefail
cd "$(dirname "$0")/.."
revision=${1:-1} place=${2:-build/packages}

version=$(tools/version.sh)
for program in svcd svc-runner svc; do
  [ -x "build/release/bin/$program" ] || { echo "build_packages: build/release has no $program" >&2; exit 1; }
done

rm -rf "$place"
mkdir -p "$place/tree/source"
cp -r deploy/debian "$place/tree/source/debian"
cp deploy/svcd.service deploy/svcd.socket deploy/svc-runner.service "$place/tree/source/debian/"
cat >"$place/tree/source/debian/changelog" <<END
svcd ($version-$revision) bookworm; urgency=medium

  * What changed stands in changelog.gz, beside this file.

 -- $(sed -n 's/^Maintainer: //p' deploy/debian/control)  $(git log -1 --format=%cD)
END

# What a user's shell has set must not change the result.
export PROJECT=$PWD CLIENTS=${CLIENTS:-} LC_ALL=C.UTF-8 TZ=UTC
umask 022
log=$place/tree/log
if ! (cd "$place/tree/source" && dpkg-buildpackage --build=binary --no-sign) >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
cp "$place"/tree/*.deb "$place/"
ls -l "$place"/*.deb
