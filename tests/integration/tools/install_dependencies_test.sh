#!/bin/sh
# The install script removes its policy file when it is interrupted, and the next run removes one that a killed run left.
# Nothing is installed: the tools that would do so are replaced.
set -eu
script="$(dirname "$0")/../../../tools/install_dependencies.sh"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
failed=0
check() {
  if eval "$2"; then return; fi
  echo "install_dependencies_test: $1: not so: $2" >&2
  failed=1
}

mkdir "$place/bin"
put() { printf '#!/bin/sh\n%s\n' "$2" >"$place/bin/$1" && chmod 755 "$place/bin/$1"; }
put dpkg-query 'echo not-installed'
put sudo 'exec "$@"'
put mkdir ':'
put apt-get ': >"$STARTED"; exec sleep 60'
export PATH="$place/bin:$PATH" POLICY_FILE="$place/policy" STARTED="$place/started"

# Starts it in a separate process group, and waits until apt-get runs.
begin() {
  rm -f "$STARTED"
  setsid "$script" >/dev/null 2>&1 &
  pid=$!
  for _ in $(seq 500); do
    [ -e "$STARTED" ] && return
    sleep 0.02
  done
  echo "install_dependencies_test: apt-get was not started" >&2
  exit 1
}
end() {
  kill -"$1" -"$pid"
  wait "$pid" 2>/dev/null || true
}

# A shell in the background ignores SIGINT, so SIGINT is not tested.
for signal in TERM HUP; do
  begin
  check "SIG$signal, before" '[ -x "$POLICY_FILE" ]'
  end "$signal"
  check "SIG$signal, after" '[ ! -e "$POLICY_FILE" ]'
done

begin
end KILL
check "SIGKILL leaves it" '[ -e "$POLICY_FILE" ]'
put dpkg-query 'echo installed'
"$script"
check "the next run removes it, also when nothing is missing" '[ ! -e "$POLICY_FILE" ]'

printf '#!/bin/sh\nexit 101\n' >"$POLICY_FILE"
"$script"
check "the machine's own stays" '[ -e "$POLICY_FILE" ]'

printf '#!/bin/sh\n# Made by tools/install_dependencies.sh, process %s\nexit 101\n' $$ >"$POLICY_FILE"
"$script"
check "that of a running script stays" '[ -e "$POLICY_FILE" ]'

# Node is installed for the dashboard only if its pages must be built and there is none.
command -p mkdir -p "$place/tree/tools" "$place/tree/web"
cp "$script" "$place/tree/tools/"
put dpkg-query 'echo not-installed'
put apt-get ':'
put npm ':'
# wants NODE: whether the script installs Node where `node --version` says NODE.
wants() {
  put node "echo $1"
  "$place/tree/tools/install_dependencies.sh" --dashboard 2>/dev/null | grep -q ' nodejs npm'
}
check "without sources of pages nobody needs Node" '! wants v16.20.2'
: >"$place/tree/web/package.json"
check "an old Node is replaced" 'wants v16.20.2'
check "a new Node is enough" '! wants v18.19.0'
command -p mkdir "$place/tree/web/prebuilt"
: >"$place/tree/web/prebuilt/manifest.json"
check "pages that came with the sources need no Node" '! wants v16.20.2'
exit "$failed"
