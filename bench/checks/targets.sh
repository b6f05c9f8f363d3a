# shellcheck shell=bash
# Sourced by bench/checks.sh behind common.sh: what is checked, nginx with and without TLS.

# make_certificates: an authority of our own and a server's certificate of it, both P-256, in $temporary/targets.
make_certificates() {
  local dir=$temporary/targets
  mkdir -m 755 "$dir"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj '/CN=bench authority' \
    -keyout "$dir/ca-key.pem" -out "$dir/ca.pem" 2>/dev/null
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj '/CN=localhost' \
    -keyout "$dir/server-key.pem" -out "$dir/server.csr" 2>/dev/null
  openssl x509 -req -in "$dir/server.csr" -CA "$dir/ca.pem" -CAkey "$dir/ca-key.pem" -CAcreateserial -days 30 \
    -extfile <(echo 'subjectAltName=IP:127.0.0.1,DNS:localhost') -out "$dir/server.pem" 2>/dev/null
  chmod 644 "$dir"/*.pem
}

# write_targets ADDRESS: nginx's configuration, with https and a listener without TLS. No log, it is not measured.
write_targets() {
  local dir=$temporary/targets user=''
  [ "$(id -u)" -ne 0 ] || user='user root;'
  cat >"$dir/nginx.conf" <<CONF
$user
worker_processes auto;
daemon off;
pid $dir/pid;
events { worker_connections 16384; }
http {
  access_log off;
  client_body_temp_path $dir;
  proxy_temp_path $dir;
  fastcgi_temp_path $dir;
  uwsgi_temp_path $dir;
  scgi_temp_path $dir;
  server {
    listen $1 backlog=4096;
    listen 127.0.0.1:$https_port ssl backlog=4096;
    ssl_protocols TLSv1.3;
    ssl_certificate $dir/server.pem;
    ssl_certificate_key $dir/server-key.pem;
    location / { default_type application/json; return 200 '{"status":"ok","name":"a small static document"}'; }
  }
}
CONF
}

# start_targets: leaves targets_pid, http_port and https_port.
start_targets() {
  local dir=$temporary/targets tries=0
  http_port=$((20000 + RANDOM % 6000)) https_port=$((26000 + RANDOM % 6000))
  write_targets "127.0.0.1:$http_port"
  /usr/sbin/nginx -e "$dir/error.log" -c "$dir/nginx.conf" &
  started+=($!)
  targets_pid=$!
  until curl -sS -o /dev/null --cacert "$dir/ca.pem" "https://127.0.0.1:$https_port/" 2>/dev/null; do
    sleep 0.1
    tries=$((tries + 1))
    [ $tries -lt 100 ] || { cat "$dir/error.log" >&2; exit 1; }
  done
}

# Without TLS they refuse connections from now on, at once; or answer again.
refuse_http() { write_targets unix:"$temporary/targets/nowhere" && kill -HUP "$targets_pid"; }
answer_http() { write_targets "127.0.0.1:$http_port" && kill -HUP "$targets_pid"; }
