#!/bin/bash
# Measures cached status pages against nginx with the same static bytes, side by side in one run: the goal is 3 × the CPU of
# nginx at most. bench/README.md explains the numbers. Requires tools/install_dependencies.sh --bench.
set -euo pipefail
cd "$(dirname "$0")/.."

rounds=5 seconds=3 connections=64 components=30 svcd=build/release/bin/svcd
usage="usage: bench/pages.sh [--rounds $rounds] [--seconds $seconds] [--connections $connections] [--components $components] [--svcd PATH]"
. bench/common.sh
. bench/service.sh
read_options "rounds seconds connections components svcd" "$@"
prepare
ulimit -n "$(ulimit -Hn)"
build svcd bench_load
mkdir -p bench/results

# All requests come from one address; windows have their own tests.
export SVC_LIMITS_PAGE_LIMIT=10000000 SVC_LIMITS_PAGE_WINDOW=1 SVC_LIMITS_FEED_LIMIT=10000000 SVC_LIMITS_FEED_WINDOW=1
start_service service "$svcd" 1 --no-runner

# A published page of a project's user, with components that nobody checks.
make_page() {
  sql service "
    INSERT INTO status_pages (id, project_id, name, status, domain_token, created_by)
      SELECT '01934f2e-a001-7d3e-9b1f-5a2c8e4d6f70', project_id, 'Acme', 'published', 'svc-verify=0123456789abcdef', created_by
        FROM jobs LIMIT 1;
    INSERT INTO page_slugs (slug, project_id, page_id, slot) SELECT 'acme', project_id, id, 0 FROM status_pages;
    INSERT INTO page_components (id, project_id, page_id, slot, position, name)
      SELECT gen_random_uuid(), project_id, p.id, n, n, 'Component ' || n FROM status_pages p, generate_series(1, $components) n"
}

load() {
  build/release/bin/bench_load --name "$1" --connections "$connections" --seconds "$seconds" \
    --ca "$(dev_value service .caFile)" "${@:2}" >>"$results"
}

# compare NAME PATH [FIELD]: the same bytes from both; every second round goes backwards.
compare() {
  local fields=() roles
  results=bench/results/$(date -u +%Y%m%dT%H%M%SZ)-$1.jsonl
  read -ra roles <<<"$(roles_of service)"
  [ $# -lt 3 ] || fields=(--header "$3")
  curl -sS --fail --cacert "$(dev_value service .caFile)" ${3:+-H "$3"} -o "$temporary/static/page" "$(dev_value service .url)$2"
  printf '%s: %d bytes\n' "$1" "$(stat -c %s "$temporary/static/page")"
  for round in $(seq "$rounds"); do
    [ $((round % 2)) = 1 ] || load "$1" --url "$(dev_value service .url)$2" "${fields[@]}" "${roles[@]}"
    load nginx --url "${nginx_url}static/page" "${fields[@]}" --role "nginx=$nginx_pid+"
    [ $((round % 2)) = 0 ] || load "$1" --url "$(dev_value service .url)$2" "${fields[@]}" "${roles[@]}"
  done
  bench/table.py "$results"
  echo "lines: $results"
}

make_page
mkdir -m 755 "$temporary/static"
start_nginx service
compare page /status/acme
compare page-gzip /status/acme 'Accept-Encoding: gzip'
compare summary /api/status-pages/acme/summary
compare rss /api/status-pages/acme/rss
