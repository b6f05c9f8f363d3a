#!/bin/bash
# Checks build/dist: its checksums, the SBOM by its schema (Node, packages from npm by their lockfile), and that this commit,
# built again in a clone elsewhere and without the compiler's cache, gives the same bytes.
# usage: tests/packages/dist.sh [DIRECTORY]   (of the clone; it stays, so that a second run is short)
set -euo pipefail
cd "$(dirname "$0")/../.."
dist=$PWD/build/dist clone=${1:-/tmp/svc-built-again}
[ -e "$dist/SHA256SUMS" ] || { echo "tests/packages/dist: make dist first" >&2; exit 1; }

echo "== checksums"
(cd "$dist" && sha256sum --strict --check SHA256SUMS)

echo "== the dashboard of the sources, without Node"
if [ -e build/release/dashboard/manifest.json ]; then
  rm -rf build/unpacked
  mkdir build/unpacked
  tar -xzf "$dist"/project-automation-service-*.tar.gz -C build/unpacked --strip-components=1
  build/unpacked/tools/build_dashboard.py ON build/unpacked/pages build/unpacked/pages.cpp --node ''
  cmp build/unpacked/pages.cpp build/release/src/embedded_dashboard.cpp
  rm -rf build/unpacked
fi

echo "== SBOM"
mkdir -p build/sbom
cp tests/packages/sbom/* build/sbom/
(cd build/sbom && npm ci --silent --no-audit --no-fund --ignore-scripts)
node build/sbom/check.mjs "$dist"/*.cdx.json
# The check sees what is wrong.
sed 's/"type": "library"/"type": "book"/' "$dist"/*.cdx.json >build/sbom/wrong.json
if node build/sbom/check.mjs build/sbom/wrong.json 2>/dev/null; then echo "the check is blind" >&2; exit 1; fi

echo "== the same commit, built again in $clone"
[ -e "$clone/.git" ] || git clone -q "$PWD" "$clone"
git -C "$clone" fetch -q "$PWD" HEAD
git -C "$clone" checkout -q --detach FETCH_HEAD
# Neither the directory nor the language, time zone, umask or cache of whoever builds it may matter.
(cd "$clone" && umask 077 && CCACHE_DISABLE=1 LANG=C TZ=Asia/Kolkata make dist >build.log 2>&1) || {
  tail "$clone/build.log" >&2
  exit 1
}
same=1
for file in "$dist"/*; do
  if cmp "$file" "$clone/build/dist/${file##*/}"; then echo "same: ${file##*/}"; else same=0; fi
done
[ "$same" = 1 ]
