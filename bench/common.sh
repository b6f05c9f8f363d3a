# shellcheck shell=bash
# Sourced by the benchmark scripts, in the project's directory, with `usage` set.

# read_options "NAME..." ARGUMENTS...: `--NAME value` sets the variable NAME; anything else prints the usage and exits.
read_options() {
  local known=" $1 "
  shift
  while [ $# -gt 0 ]; do
    [ "$1" != --help ] || { echo "$usage"; exit 0; }
    [[ $# -gt 1 && $1 == --* && $known == *" ${1#--} "* ]] || { echo "$usage" >&2; exit 2; }
    printf -v "${1#--}" %s "$2"
    shift 2
  done
}

# Processes that end with the script, and a directory that is deleted with it.
started=()
prepare() {
  temporary=$(mktemp -d /tmp/svc-bench.XXXXXX)
  trap finish EXIT
  trap 'exit 130' INT TERM
  chmod 755 "$temporary" # the stores run as another user when we are root
}
finish() {
  local pid
  for pid in "${started[@]}"; do
    kill "$pid" 2>/dev/null || true
    kill -CONT "$pid" 2>/dev/null || true # a load client may have been stopped
  done
  for pid in "${started[@]}"; do wait "$pid" 2>/dev/null || true; done
  rm -rf "$temporary"
}

# build TARGETS...: builds them in the release preset.
build() {
  local log="$temporary/build.log"
  if ! { cmake --preset release -DSVC_BENCH=ON && cmake --build --preset release --target "$@"; } >"$log" 2>&1; then
    tail -40 "$log" >&2
    exit 1
  fi
}
