#!/bin/sh
# Prints the version that CMakeLists.txt names.
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's/^project(.* VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
[ -n "$version" ] || { echo "version: CMakeLists.txt names none" >&2; exit 1; }
echo "$version"
