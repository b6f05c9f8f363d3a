#!/bin/bash
# Builds the images of deploy/container/Dockerfile from the packages in build/packages, on a bare Debian 12 instead of one
# from a registry, and runs them: not as root, without capabilities, on a root file system that cannot be written; against a
# PostgreSQL and a Redis of this machine, with the secrets and the configuration of deploy/compose.yaml.
# usage: tests/packages/container.sh   (as root; buildah, podman and runc of Debian)
set -euo pipefail
cd "$(dirname "$0")/../.."
[ "$(id -u)" -eq 0 ] || { echo "tests/packages/container: run it as root, for debootstrap and the stores" >&2; exit 1; }
for tool in buildah podman runc debootstrap; do
  command -v "$tool" >/dev/null || { echo "tests/packages/container: $tool is missing (apt-get install $tool)" >&2; exit 1; }
done
# Images and containers of our own, beside those of this machine.
place=$PWD/build/containers
own=(--root "$place/storage" --runroot "$place/run")

if [ "${1:-}" != --started ]; then
  ls build/packages/svcd_*.deb >/dev/null || { echo "tests/packages/container: no packages; make packages" >&2; exit 1; }
  echo "== build"
  . tests/packages/bare_system.sh
  mkdir -p "$place"
  podman "${own[@]}" image exists localhost/bare-debian || tar -C "$bare" -c . | podman "${own[@]}" import --quiet - localhost/bare-debian
  for target in svcd svc-runner svc; do
    buildah "${own[@]}" bud --isolation chroot --network host --build-arg BASE=localhost/bare-debian --target $target \
      --tag $target --file deploy/container/Dockerfile . >"$place/$target.log" 2>&1 || { tail -20 "$place/$target.log" >&2; exit 1; }
  done
  # Ports of its own, and nothing that it starts outlives it.
  exec unshare --net --mount --pid --fork --kill-child --mount-proc "$0" --started
fi

echo "== run"
ip link set lo up
# The network of compose.yaml, so that its `trusted_proxies` fit.
ip address add 172.30.7.1/24 dev lo
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 0711 "$work"
deploy/container/make_secrets.sh "$work/secrets"
sed -i 's/@postgres/@127.0.0.1/; s/@redis/@127.0.0.1/' "$work"/secrets/*-url

install -d -o postgres "$work/postgres"
bin=/usr/lib/postgresql/15/bin
runuser -u postgres -- $bin/initdb -D "$work/postgres/data" -A trust -U postgres >/dev/null
runuser -u postgres -- $bin/pg_ctl -w -s -D "$work/postgres/data" -l "$work/postgres/log" -o "-h 127.0.0.1 -k $work/postgres" start
echo "host all all 127.0.0.1/32 scram-sha-256" >"$work/postgres/data/pg_hba.conf.new"
PGHOST=$work/postgres SECRETS=$work/secrets deploy/container/roles.sh >/dev/null
mv "$work/postgres/data/pg_hba.conf.new" "$work/postgres/data/pg_hba.conf"
runuser -u postgres -- $bin/pg_ctl -s -D "$work/postgres/data" reload
# Debian's redis-tools has the server under another name; which one it is depends on its own.
(exec -a redis-server /usr/bin/redis-check-rdb "$work/secrets/redis.conf" --bind 127.0.0.1 --daemonize yes --dir "$work" >/dev/null)

limits=$(ulimit -Hn)
# run IMAGE ARGUMENTS...; options stand in the array `more`.
run() {
  podman "${own[@]}" --runtime runc run --rm --network host --read-only --cap-drop all --security-opt no-new-privileges \
    --ulimit "nofile=$limits:$limits" --ulimit nproc=4096:4096 "${more[@]}" "$@"
}
mounts=(--volume "$PWD/deploy/container/svcd.toml:/etc/svcd/svcd.toml:ro")
for secret in "$work"/secrets/*; do mounts+=(--volume "$secret:/run/secrets/${secret##*/}:ro"); done
stores=(--env SVC_POSTGRES_URL_FILE=/run/secrets/postgres-url --env SVC_REDIS_URL_FILE=/run/secrets/redis-url)

more=(--entrypoint /bin/sh)
[ "$(run svcd -c 'id -un; touch /tried 2>/dev/null || echo read-only')" = $'svcd\nread-only' ]
[ "$(run svc-runner -c 'id -un')" = svc-runner ]
[ "$(run svc -c 'id -un')" = svc ]
echo "ok    no image runs as root"
more=()
run svc-runner --version
run svc version
more=("${mounts[@]}" --env SVC_POSTGRES_MIGRATE_URL_FILE=/run/secrets/migrate-url)
run svcd migrate --config /etc/svcd/svcd.toml 2>&1 | tail -1
more=("${mounts[@]}" "${stores[@]}" --detach --name svcd-smoke)
run svcd >/dev/null
call() { curl -fsS --haproxy-protocol --cacert "$work/secrets/ca.pem" --resolve localhost:8443:172.30.7.1 "$@"; }
for _ in $(seq 100); do
  if call https://localhost:8443/readyz >/dev/null 2>&1; then break; fi
  sleep 0.2
done
call https://localhost:8443/livez
echo
echo "ok    /livez over TLS"
admin() { podman "${own[@]}" --runtime runc exec svcd-smoke svcd admin "$1" --config /etc/svcd/svcd.toml "${@:2}"; }
admin create-user --email ada@example.org --name Ada >/dev/null
admin create-organization --slug acme --name Acme >/dev/null
admin create-project --organization acme --slug shop --name Shop >/dev/null
admin add-member --organization acme --user ada@example.org --role org_member >/dev/null
admin add-member --project acme/shop --user ada@example.org --role project_editor >/dev/null
token=$(admin create-token --json --project acme/shop --owner ada@example.org --name ci | jq -r .key)
call -H "Authorization: Bearer $token" https://localhost:8443/api/auth/whoami | jq -e . >/dev/null
echo "ok    a token works"
podman "${own[@]}" --runtime runc stop --time 60 svcd-smoke >/dev/null
echo "ok    it drains and stops"
echo "all as expected"
