# shellcheck shell=bash
# Sourced by bench/run.sh behind service.sh: the Node service of bench/peer on the stores of a service, in a database of
# its own (`peer`) and in database 1 of Redis.

# Debian 12's Node is too old for the peer's packages.
has_node() { [ "$(node --version 2>/dev/null | sed -n 's/^v\([0-9]*\)\..*/\1/p')" -ge 20 ] 2>/dev/null && command -v npm >/dev/null; }

# As tests/contract/node/run.sh: node_modules matches the lockfile when it holds an equal copy of it.
install_peer() {
  cmp -s bench/peer/package-lock.json bench/peer/node_modules/.installed-lock.json && return
  (cd bench/peer && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2) || {
    echo "bench: npm could not install the peer's packages; --peer no leaves it out" >&2
    exit 1
  }
  cp bench/peer/package-lock.json bench/peer/node_modules/.installed-lock.json
}

# copy_rows SERVICE TABLE QUERY: what the query gives of the service's database, in the order of the table's columns.
copy_rows() {
  sql "$1" "COPY ($3) TO STDOUT" | sql "$1" "COPY $2 FROM STDIN" peer
}

fill_peer() {
  sql "$1" 'CREATE DATABASE peer'
  sql "$1" "$(cat bench/peer/schema.sql)" peer
  copy_rows "$1" credentials "SELECT s.digest, t.id, t.kind, t.name, t.owner_id, u.name, 'project_editor', t.project_id,
      p.organization_id, t.job_id, b.id, b.epoch
    FROM token_secrets s JOIN tokens t ON t.id = s.token_id JOIN users u ON u.id = t.owner_id
    JOIN projects p ON p.id = t.project_id
    JOIN subjects b ON b.id = CASE WHEN t.job_id IS NULL THEN t.owner_id ELSE t.id END"
  copy_rows "$1" tests "SELECT id, project_id, title, description, type, priority, version, created_at, updated_at
    FROM tests"
  copy_rows "$1" jobs "SELECT j.id, j.project_id, j.name, j.job_type, j.enabled, j.timeout_seconds,
      (SELECT jsonb_agg(jsonb_build_object('id', t.id, 'title', t.title, 'status', 'queued') ORDER BY jt.position)
         FROM job_tests jt JOIN tests t ON t.id = jt.test_id WHERE jt.job_id = j.id),
      j.created_by, j.created_at, j.updated_at
    FROM jobs j"
}

# start_peer SERVICE: with its certificate; leaves peer_pid and peer_url.
start_peer() {
  local name=$1 port=$((32000 + RANDOM % 12000)) tries=0 redis
  install_peer
  fill_peer "$name"
  redis=$(dev_value "$name" .redisUrl)
  mkdir -p "$temporary/peer/ask"
  PEER_PORT=$port PEER_CERT=$(dev_value "$name" .dataDir)/tls/server.pem PEER_KEY=$(dev_value "$name" .dataDir)/tls/server-key.pem \
    PEER_POSTGRES=$(dev_value "$name" .postgresUrl | sed 's|svc_app@/svc|svc_owner@/peer|') PEER_REDIS=${redis#unix:} \
    PEER_LOG=$temporary/peer/access.log NODE_ENV=production node bench/peer/server.mjs 2>"$temporary/peer.log" &
  peer_pid=$!
  started+=("$peer_pid")
  peer_url="https://127.0.0.1:$port"
  until curl -sS -o /dev/null --cacert "$(dev_value "$name" .caFile)" "$peer_url/api/auth/whoami" 2>/dev/null; do
    sleep 0.1
    tries=$((tries + 1))
    [ $tries -lt 100 ] || { cat "$temporary/peer.log" >&2; exit 1; }
  done
  cp "$temporary/$name/ask/"* "$temporary/peer/ask/"
}
