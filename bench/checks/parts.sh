# shellcheck shell=bash
# Sourced by bench/checks.sh: what it measures, each with a line or several in $results.

# scrape SERVICE FILE
scrape() { curl -sS --fail "$(dev_value "$1" .adminUrl)/metrics" >"$temporary/$1/$2"; }
# cpu_of SERVICE: CPU seconds of svcd, Redis and PostgreSQL, as JSON.
cpu_of() {
  bench/checks/role_cpu.py svcd="$(dev_value "$1" .pids.svcd)" redis="$(dev_value "$1" .pids.redis)" \
    postgres="$(cat "$temporary/$1/postgres.pid")+"
}
# database_of SERVICE: bytes of the database and of WAL, as JSON.
database_of() {
  sql "$1" "SELECT json_build_object('bytes', pg_database_size('svc'), 'wal', pg_current_wal_insert_lsn() - '0/0')"
}
# memory_of SERVICE: resident KiB of svcd, now and at most
memory_of() { awk '/^Vm(RSS|HWM)/ {printf "%s ", $2}' "/proc/$(dev_value "$1" .pids.svcd)/status"; }

add_monitors() { bench/checks/seed.py "$temporary/$1.json" "${@:2}"; }
# all_checked SERVICE: waits until each monitor has a result.
all_checked() {
  for _ in $(seq 1200); do
    [ "$(sql "$1" "SELECT count(*) FROM check_states c JOIN monitors m ON m.id = c.monitor_id
                    WHERE m.enabled AND c.last_slot = 0")" -gt 0 ] || return 0
    sleep 0.5
  done
  echo "checks.sh: monitors were not checked" >&2
  exit 1
}
pause_monitors() {
  sql "$1" "UPDATE monitors SET enabled = false, changed_at = clock_timestamp() WHERE enabled"
  sleep 5
}

# during SERVICE NAME SECONDS: a line of what its checks cost meanwhile.
during() {
  local service=$1 cpu database began
  scrape "$service" before
  database=$(database_of "$service") began=$(date +%s.%N) cpu=$(cpu_of "$service")
  sleep "$3"
  jq -nc --arg name "$2" --argjson began "$began" --argjson ended "$(date +%s.%N)" --argjson before "$cpu" \
    --argjson after "$(cpu_of "$service")" --argjson database "$database" --argjson database_after "$(database_of "$service")" \
    --arg memory "$(memory_of "$service")" \
    --argjson metrics "$(scrape "$service" after && bench/checks/metrics.py "$temporary/$service/"{before,after})" '
    ([$metrics.checks[]] | add // 0) as $checks | ($ended - $began) as $seconds
    | ($after | with_entries(.value -= $before[.key])) as $cpu
    | ($memory | split(" ") | map(select(. != "") | tonumber)) as $kib
    | {name: $name, seconds: $seconds, checks: $checks, per_second: ($checks / $seconds),
       cores: (($cpu | add) / $seconds), cpu_seconds: $cpu,
       cpu_us: (if $checks > 0 then ($cpu | map_values(. * 1e6 / $checks)) | .sum = (map_values(.) | add) else {} end),
       rss_mib: ($kib[1] / 1024), rss_most_mib: ($kib[0] / 1024),
       bytes: (if $checks > 0 then ($database_after.bytes - $database.bytes) / $checks else 0 end),
       wal: (if $checks > 0 then ($database_after.wal - $database.wal) / $checks else 0 end)}
      + ($metrics | .by_status = .checks | del(.checks))' >>"$results"
}

# One check through the service, beside what others need for the same request.
cost_of_checks() {
  local ca=$temporary/targets/ca.pem scheme url
  during service idle 10
  for scheme in http https; do
    url=http://127.0.0.1:$http_port/
    [ $scheme = http ] || url=https://127.0.0.1:$https_port/
    add_monitors service --monitors $((rate * 10)) --target "$url" --interval 10 --slices 5
    all_checked service
    sql service 'VACUUM ANALYZE'
    sleep 10
    during service "check, $scheme" "$seconds"
    pause_monitors service
    for _ in $(seq 300); do printf 'url=%s\n' "$url"; done >"$temporary/urls"
    bench/checks/client_cost.py "curl, a process each, $scheme" 300 xargs -a "$temporary/urls" -n 1 -I{} \
      curl -sS --cacert "$ca" -o /dev/null "${url}" >>"$results"
    # No connection and no session is used again.
    for _ in $(seq 9); do cat "$temporary/urls"; done | sed 'a output=/dev/null' >"$temporary/all-urls"
    bench/checks/client_cost.py "curl, one process, $scheme" 2700 \
      curl -sS --cacert "$ca" --no-sessionid -H 'Connection: close' -K "$temporary/all-urls" >>"$results"
  done
  bench/checks/client_cost.py "openssl s_time -new" 0 \
    openssl s_time -connect "127.0.0.1:$https_port" -new -time 8 -CAfile "$ca" -verify 2 -tls1_3 >>"$results"
}

# told_of SERVICE NAME TYPE SINCE COUNT: waits for so many alerts, and says how long after that they were committed.
told_of() {
  for _ in $(seq 600); do
    [ "$(sql "$1" "SELECT count(*) FROM alerts WHERE type = '$3' AND created_at > to_timestamp($4)")" -lt "$5" ] || break
    sleep 0.1
  done
  sql "$1" "SELECT json_build_object('name', '$2', 'count', count(*), 'seconds', json_build_object(
      'p50', percentile_cont(0.5) WITHIN GROUP (ORDER BY s), 'p99', percentile_cont(0.99) WITHIN GROUP (ORDER BY s),
      'most', max(s)))
    FROM (SELECT extract(epoch FROM created_at) - $4 AS s FROM alerts WHERE type = '$3' AND created_at > to_timestamp($4)) a" \
    >>"$results"
}

# 50 monitors, each with a provider of its own, whose target refuses connections from one moment on, and answers again.
alerts_of_falls() {
  local began count=50
  add_monitors service --monitors $count --interval 10 --target "http://127.0.0.1:$http_port/" \
    --own-hooks "https://127.0.0.1:$https_port/"
  all_checked service
  scrape service before
  for _ in $(seq "$falls"); do
    sleep 12 # a message to a provider may wait for the one before
    began=$(date +%s.%N)
    refuse_http
    told_of service "down to alert" monitor_failure "$began" $count
    sleep 12
    began=$(date +%s.%N)
    answer_http
    told_of service "up to alert" monitor_recovery "$began" $count
  done
  sleep 5
  scrape service after
  bench/checks/metrics.py "$temporary/service/"{before,after} | jq -c '{name: "alert to its message taken"} + del(.checks)' >>"$results"
  pause_monitors service
}

# api_of SERVICE NAME: 500 whoami a second, sent at that rate whatever the answers.
api_of() {
  "$bin/bench_rate" --name "$2" --url "$(dev_value "$1" .url)/" --ca "$(dev_value "$1" .caFile)" --requests "$(asks "$1" whoami)" \
    --expect 200 --rate 500 --seconds 10 >>"$results"
}

# So many monitors that are checked without a network: the scheduler, the flush and PostgreSQL.
many_monitors() {
  local _
  api_of many "warm-up"
  during many "idle, many" 10
  for _ in $(seq "$rounds"); do api_of many "whoami alone"; done
  add_monitors many --monitors "$monitors" --target https://93.184.216.34/health --own-targets --slices 20
  all_checked many
  sql many 'VACUUM ANALYZE'
  sleep 60 # what is new is news for 45 s
  during many "result, $monitors monitors" $((minutes * 60))
  sql many "SELECT relname, pg_total_relation_size(relid) FROM pg_stat_user_tables
             WHERE relname ~ '^check|^monitor' AND pg_total_relation_size(relid) > 1000000 ORDER BY 2 DESC" >&2
  for _ in $(seq "$rounds"); do api_of many "whoami beside"; done
  pause_monitors many
  for _ in $(seq "$rounds"); do api_of many "whoami alone"; done
}

# read_over NAME QUERY: a request after the other, for the monitors that are read, in their order.
read_over() {
  sql many "SELECT 'GET ' || format('$2', m.id) || ' ' || t.token FROM bench_monitors m
              JOIN bench_tokens t ON t.project = m.project_id WHERE m.is_read ORDER BY md5(m.id::text)" \
    >"$(asks many read)"
  "$bin/bench_load" --name "$1" --url "$(dev_value many .url)/" --ca "$(dev_value many .caFile)" --requests "$(asks many read)" \
    --connections 1 --seconds 10 --role svcd="$(dev_value many .pids.svcd)" \
    --role postgres="$(cat "$temporary/many/postgres.pid")+" >>"$results"
}

# Reads beside a year of packed results.
reads_over_a_year() {
  if [ "$(sql many 'SELECT count(*) FROM monitors WHERE deleted_at IS NULL')" -lt "$year" ]; then
    add_monitors many --monitors "$year" --target https://93.184.216.34/health --own-targets --slices 20
    all_checked many
    pause_monitors many
  fi
  fill_year
  read_over "stats of 365 days" '/api/monitors/%s/stats?period=365d'
  read_over "stats of 30 days" '/api/monitors/%s/stats?period=30d'
  read_over "page of results" '/api/monitors/%s/results?limit=20'
  read_over "list of 20 monitors" '/api/monitors?limit=20'
}

# fill_year: days of all monitors, in the order of time as packing writes them; hours of all for a day, and for the rest
# of two weeks those of the monitors that are read.
fill_year() {
  local hour start=$SECONDS
  hour=$(($(date +%s) / 3600))
  sql many 'ALTER SYSTEM SET fsync = off' && sql many 'ALTER SYSTEM SET full_page_writes = off'
  sql many 'SELECT pg_reload_conf()' >/dev/null
  {
    cat bench/checks/before.sql
    "$bin/bench_check_samples" $((hour - 335)) $((hour - 1)) $((hour / 24 - days)) $((hour / 24 - 1)) 8
    echo '\.'
    cat bench/checks/year.sql
  } | psql -qAtX -v ON_ERROR_STOP=1 -v monitors="$year" -v hour="$hour" \
    "$(dev_value many .postgresUrl | sed 's/svc_app@/svc_owner@/')" >&2
  awk '{print $3}' "$(asks many whoami)" | while read -r token; do
    printf '%s\t%s\n' "$(printf %s "$token" | sha256sum | cut -d' ' -f1)" "$token"
  done | sql many "COPY bench_digests FROM STDIN"
  sql many "INSERT INTO bench_tokens SELECT DISTINCT ON (t.project_id) t.project_id, d.token FROM bench_digests d
              JOIN token_secrets s ON s.digest = decode(d.digest, 'hex') JOIN tokens t ON t.id = s.token_id"
  sql many 'ALTER SYSTEM RESET ALL' && sql many 'SELECT pg_reload_conf()' >/dev/null
  sql many 'VACUUM ANALYZE'
  sql many 'CHECKPOINT'
  sync
  echo "a year of $year monitors in $((SECONDS - start)) s, $(sql many "SELECT pg_size_pretty(pg_database_size('svc'))")" >&2
}
