#!/bin/sh
# Which pages a build embeds: those that came with the sources, those that Node builds, or none with a sentence that says why.
# Node and npm are replaced by scripts, so that nothing is downloaded.
set -eu
tool="$(cd "$(dirname "$0")/../../.." && pwd)/tools/build_dashboard.py"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
failed=0
check() {
  if eval "$2"; then return; fi
  echo "build_dashboard_test: $1: not so: $2" >&2
  sed 's/^/  | /' "$place/said" >&2
  failed=1
}

mkdir -p "$place/bin" "$place/web/dashboard"
put() { printf '#!/bin/sh\n%s\n' "$2" >"$place/bin/$1" && chmod 755 "$place/bin/$1"; }
good_node() {
  put node 'if [ "$1" = --version ]; then echo v18.19.0; exit; fi
echo build >>"$CALLS"; mkdir -p "$3/assets"; cp dashboard/page "$3/index.html"; cp dashboard/page "$3/boot.js"
cp dashboard/page "$3/assets/main-AB12CD34.js"; echo notes >"$3/notes"; echo "{}" >"$3/manifest.json"'
}
good_node
put npm 'echo "npm $1" >>"$CALLS"; mkdir -p node_modules'
echo '{}' >"$place/web/package.json"
echo '{}' >"$place/web/package-lock.json"
echo "first page" >"$place/web/dashboard/page"
export PATH="$place/bin:$PATH" CALLS="$place/calls"
# run MODE [OPTION...]: sets $code; the output is in `said`, the calls of node and npm in `calls`.
run() {
  mode=$1
  shift
  : >"$CALLS"
  code=0
  "$tool" "$mode" "$place/out" "$place/pages.cpp" --web "$place/web" "$@" >"$place/said" 2>&1 || code=$?
}
embeds() { grep -q "$1" "$place/pages.cpp"; }

run AUTO
check "a first build installs and builds" '[ $code = 0 ] && [ "$(cat "$CALLS")" = "npm ci
build" ]'
check "the paths and bytes are embedded" 'embeds assets/main-AB12CD34.js && embeds "first page" && embeds boot.js'
check "other files are not" '! embeds notes'
touch -d '2 hours ago' "$place/pages.cpp"
old=$(stat -c %Y "$place/pages.cpp")
run AUTO
check "nothing is done again" '[ ! -s "$CALLS" ] && [ "$(stat -c %Y "$place/pages.cpp")" = "$old" ]'
run ON
check "ON wants no more than AUTO has" '[ $code = 0 ] && [ ! -s "$CALLS" ]'

echo "second page" >"$place/web/dashboard/page"
run AUTO
check "changed sources are built, with the installed packages" '[ "$(cat "$CALLS")" = build ] && embeds "second page"'
echo '{"a":1}' >"$place/web/package-lock.json"
run AUTO
check "a changed lockfile installs again" '[ "$(cat "$CALLS")" = "npm ci
build" ]'

# What `make dist` ships.
cp -r "$place/out" "$place/web/prebuilt"
rm -rf "$place/out" "$place/out.json" "$place/web/node_modules"
run ON --node ''
check "pages that came with the sources need no Node" '[ $code = 0 ] && [ ! -s "$CALLS" ] && embeds "second page"'
echo "third page" >"$place/web/dashboard/page"
run ON --node ''
check "they must fit the sources" '[ $code = 1 ] && grep -q "no Node" "$place/said"'
run AUTO
check "otherwise Node builds others" '[ $code = 0 ] && embeds "third page"'
rm -rf "$place/web/prebuilt"

run OFF
check "OFF embeds none" '[ $code = 0 ] && [ ! -s "$CALLS" ] && ! embeds page && [ ! -s "$place/said" ]'
run AUTO --node ''
check "without Node AUTO leaves the pages out and says why" '[ $code = 0 ] && ! embeds page && grep -q "Node 18 or newer" "$place/said"'
run ON --node ''
check "without Node ON fails" '[ $code = 1 ]'
put node 'echo v16.20.2'
run AUTO
check "an old Node is none" '[ $code = 0 ] && ! embeds page && grep -q "there is Node 16" "$place/said"'
good_node
run AUTO
check "a new Node is noticed" '[ $code = 0 ] && embeds "third page"'

rm -rf "$place/web/node_modules"
echo "fourth page" >"$place/web/dashboard/page"
put npm 'echo "npm $1" >>"$CALLS"; echo "no network" >&2; exit 1'
run AUTO
check "without a registry AUTO leaves the pages out" '[ $code = 0 ] && ! embeds page && grep -q "no network" "$place/said"'
run AUTO
check "it does not try again at once" '[ ! -s "$CALLS" ]'
run ON
check "without a registry ON fails" '[ $code = 1 ]'
put npm 'mkdir -p node_modules'
put node 'if [ "$1" = --version ]; then echo v20.1.0; exit; fi
echo "page.tsx:1: a fault" >&2; exit 1'
run AUTO
check "a fault in the sources fails every build" '[ $code = 1 ] && grep -q "page.tsx:1" "$place/said"'

mv "$place/web" "$place/elsewhere"
run AUTO
check "without sources of pages AUTO leaves them out" '[ $code = 0 ] && ! embeds page && grep -q web/package.json "$place/said"'
run ON
check "without sources of pages ON fails" '[ $code = 1 ]'
exit $failed
