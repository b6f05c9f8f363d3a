#!/bin/bash
# Writes build/dist: the sources, the packages in build/packages, what they are made of, and checksums. `make dist` builds
# the packages before. The sources hold the built pages of the dashboard (web/prebuilt), so that a build of them needs no
# Node. Two runs on one commit give the same bytes (make test-dist).
set -euo pipefail
cd "$(dirname "$0")/.."

git diff --quiet HEAD || { echo "make_dist: there are changes that no commit has" >&2; exit 1; }
version=$(tools/version.sh)
name=project-automation-service-$version
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

rm -rf build/dist
mkdir -p build/dist
pages=()
if [ -e build/release/dashboard/manifest.json ]; then
  for folder in "" assets/; do
    pages+=("--prefix=$name/web/prebuilt/$folder")
    for file in build/release/dashboard/"$folder"*; do [ ! -f "$file" ] || pages+=("--add-file=$file"); done
  done
fi
git archive --format=tar ${pages[@]+"${pages[@]}"} --prefix="$name/" HEAD | gzip -9n >"build/dist/$name.tar.gz"
cp build/packages/*.deb build/dist/
tools/make_sbom.py build/release build/packages "build/dist/$name.cdx.json"
cd build/dist
LC_ALL=C sha256sum -- * >SHA256SUMS
cat SHA256SUMS
