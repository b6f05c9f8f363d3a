# shellcheck shell=bash
# Sourced by the benchmark scripts behind service.sh: runs that ended long ago.

# The 20 lines that the no-op runner prints, as zlib.
lines_of_a_run() {
  python3 -c '
import zlib
text = "".join(f"step {n} of 20: the page at /orders/{n * 7919} answered in 12 ms\n" for n in range(1, 21)).encode()
print("-v", f"content={zlib.compress(text).hex()}", "-v", f"size={len(text)}")'
}

# history_sql SERVICE ARGUMENTS...: psql as the owner, with triggers and foreign keys switched off.
history_sql() {
  PGOPTIONS='-c session_replication_role=replica -c synchronous_commit=off -c maintenance_work_mem=512MB -c work_mem=64MB' \
    psql -qAtX -v ON_ERROR_STOP=1 "$(dev_value "$1" .postgresUrl | sed 's/svc_app@/svc_owner@/')" "${@:2}"
}

# fill_history SERVICE N: N ended runs with their audit rows and output. All tables at once, without indexes; then
# the indexes, VACUUM ANALYZE, and what was written goes to the disk, so that it does not while we measure.
fill_history() {
  local name=$1 part parts=() start=$SECONDS content
  read -ra content <<<"$(lines_of_a_run)"
  sql "$name" 'ALTER SYSTEM SET fsync = off' && sql "$name" 'ALTER SYSTEM SET full_page_writes = off'
  sql "$name" 'SELECT pg_reload_conf()' >/dev/null
  history_sql "$name" -f bench/history/before.sql
  for part in runs results audit output; do
    history_sql "$name" -v n="$2" "${content[@]}" -1 -f "bench/history/$part.sql" &
    parts+=($!)
  done
  for part in "${parts[@]}"; do wait "$part"; done
  export -f history_sql dev_value
  export temporary
  sql "$name" 'SELECT definition FROM bench.indexes' | tr '\n' '\0' |
    xargs -0 -P 2 -I{} bash -c 'history_sql "$0" -c "$1"' "$name" {}
  sql "$name" 'DROP SCHEMA bench CASCADE' 2>/dev/null
  sql "$name" 'ALTER SYSTEM RESET ALL' && sql "$name" 'SELECT pg_reload_conf()' >/dev/null
  sql "$name" 'VACUUM (ANALYZE, PARALLEL 2)'
  sql "$name" 'CHECKPOINT'
  sync
  echo "history: $2 ended runs in $((SECONDS - start)) s, $(sql "$name" "SELECT pg_size_pretty(pg_database_size('svc'))")" >&2
}
