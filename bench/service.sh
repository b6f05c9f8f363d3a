# shellcheck shell=bash
# Sourced by the benchmark scripts behind common.sh: services on private stores, and nginx.

# start_service NAME BINARY TESTS [DEV_OPTIONS...]: leaves NAME.json (what `svcd dev` printed) and NAME/ask (requests of
# bench/seed.py; jobs have TESTS tests each) in $temporary, and its PostgreSQL with the settings of a server.
# The limits are too high to be reached: they have their own tests. Windows of one second, so that entries expire
# while we measure, as they do in a service that has run for a while. Redis has a deadline of one second, so that a
# stall of the machine does not become a 503. Queues have no quota, because nothing may execute their runs.
start_service() {
  local name=$1 binary=$2 tests=$3 tries=0 bounds=() sessions=no
  # An older binary (--against) refuses unknown keys.
  if "$binary" print-config --defaults | grep -q queued_runs; then bounds=(SVC_QUOTAS_QUEUED_RUNS=0); fi
  if "$binary" print-config --defaults | grep -q connections_per_address; then
    bounds+=(SVC_HTTP_CONNECTIONS_PER_ADDRESS=1000000) # all come from here
  fi
  if "$binary" print-config --defaults | grep -q trigger_most; then
    bounds+=(SVC_LIMITS_TRIGGER_MOST=10000000 SVC_LIMITS_PROJECT_LIMIT=10000000 SVC_LIMITS_PROJECT_WINDOW=1
      SVC_LIMITS_RUNNER_LIMIT=10000000 SVC_LIMITS_RUNNER_WINDOW=1 SVC_LIMITS_CLAIM_LIMIT=10000000
      SVC_LIMITS_CLAIM_WINDOW=1)
  fi
  if "$binary" print-config --defaults | grep -q '^\[limits.session\]'; then
    sessions=yes bounds+=(SVC_LIMITS_SESSION_LIMIT=10000000 SVC_LIMITS_SESSION_WINDOW=1)
  fi
  mkdir -m 755 "$temporary/$name" "$temporary/$name/ask"
  SVC_LIMITS_CLI_LIMIT=10000000 SVC_LIMITS_CLI_WINDOW=1 SVC_LIMITS_TRIGGER_DEFAULT_LIMIT=10000000 \
    SVC_LIMITS_TRIGGER_DEFAULT_WINDOW=1 SVC_LIMITS_ANONYMOUS_LIMIT=10000000 SVC_LIMITS_ANONYMOUS_WINDOW=1 \
    SVC_REDIS_DEADLINE=1000ms \
    env "${bounds[@]}" "$binary" dev --data-dir "$temporary/$name/dev" --listen 127.0.0.1:0 --admin 127.0.0.1:0 \
    --print json "${@:4}" >"$temporary/$name.json" 2>"$temporary/$name.log" &
  started+=($!)
  until [ -s "$temporary/$name.json" ]; do
    sleep 0.1
    tries=$((tries + 1))
    if [ $tries -gt 600 ] || ! kill -0 "${started[-1]}" 2>/dev/null; then
      cat "$temporary/$name.log" >&2
      exit 1
    fi
  done
  resident_at_start "$name"
  restart_postgres "$name"
  bench/seed.py "$temporary/$name.json" "$temporary/$name/ask" --tests "$tests" --sessions "$sessions"
}

dev_value() { jq -r "$2" "$temporary/$1.json"; } # dev_value SERVICE FILTER
asks() { echo "$temporary/$1/ask/$2"; }     # asks SERVICE FILE: a file of requests
# sql SERVICE QUERY [DATABASE]: as the owner of the tables
sql() { psql -qAtX -v ON_ERROR_STOP=1 "$(dev_value "$1" .postgresUrl | sed "s|svc_app@/svc|svc_owner@/${3:-svc}|")" -c "$2"; }

# roles_of SERVICE: the processes that its requests cost, as the load clients' arguments.
roles_of() {
  echo --role "svcd=$(dev_value "$1" .pids.svcd)" --role "redis=$(dev_value "$1" .pids.redis)" \
    --role "postgres=$(cat "$temporary/$1/postgres.pid")+"
}

resident_at_start() {
  awk '/^VmRSS/ {print $2}' "/proc/$(dev_value "$1" .pids.svcd)/status" >"$temporary/$1/kib"
}

# PostgreSQL of `svcd dev` has the settings of a laptop (64 MB of buffers, a checkpoint every 256 MB).
restart_postgres() {
  local name=$1 pid user group arguments as=()
  pid=$(dev_value "$name" .pids.postgres)
  user=$(stat -c %u "/proc/$pid") group=$(stat -c %g "/proc/$pid")
  mapfile -d '' arguments <"/proc/$pid/cmdline"
  kill -INT "$pid"
  while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
  [ "$(id -u)" = "$user" ] || as=(setpriv --reuid="$user" --regid="$group" --clear-groups)
  (cd / && exec "${as[@]}" "${arguments[@]}" -c shared_buffers=1GB -c max_wal_size=8GB) \
    >"$temporary/$name/postgres.log" 2>&1 &
  started=("$!" "${started[@]}")
  echo "$!" >"$temporary/$name/postgres.pid"
  for _ in $(seq 100); do
    ! sql "$name" 'SELECT 1' >/dev/null 2>&1 || return 0
    sleep 0.1
  done
  cat "$temporary/$name/postgres.log" >&2
  exit 1
}

# start_nginx SERVICE: with the service's own certificate, so that both sides do the same cryptography.
start_nginx() {
  local name=$1 tries=0 user=''
  nginx_port=$((20000 + RANDOM % 12000))
  [ "$(id -u)" -ne 0 ] || user='user root;'
  mkdir "$temporary/nginx"
  cat >"$temporary/nginx.conf" <<CONF
$user
worker_processes auto;
daemon off;
pid $temporary/nginx/pid;
error_log $temporary/nginx/error.log;
events { worker_connections 16384; }
http {
  access_log $temporary/nginx/access.log;
  client_body_temp_path $temporary/nginx;
  proxy_temp_path $temporary/nginx;
  fastcgi_temp_path $temporary/nginx;
  uwsgi_temp_path $temporary/nginx;
  scgi_temp_path $temporary/nginx;
  keepalive_requests 1000000000;
  server {
    listen 127.0.0.1:$nginx_port ssl;
    ssl_protocols TLSv1.3;
    ssl_certificate $(dev_value "$name" .dataDir)/tls/server.pem;
    ssl_certificate_key $(dev_value "$name" .dataDir)/tls/server-key.pem;
    location /static/ { alias $temporary/static/; default_type text/html; }
    location / { default_type application/json; return 200 '{"status":"ok","name":"a small static document"}'; }
  }
}
CONF
  /usr/sbin/nginx -e "$temporary/nginx/error.log" -c "$temporary/nginx.conf" &
  started+=($!)
  nginx_pid=$!
  nginx_url="https://127.0.0.1:$nginx_port/"
  until curl -sS -o /dev/null --cacert "$(dev_value "$name" .caFile)" "$nginx_url" 2>/dev/null; do
    sleep 0.1
    tries=$((tries + 1))
    [ $tries -lt 100 ] || { cat "$temporary/nginx/error.log" >&2; exit 1; }
  done
}
