#!/bin/sh
# Makes the secrets of deploy/compose.yaml: passwords, the stores' addresses, a master key, an authority and a certificate.
# usage: deploy/container/make_secrets.sh DIRECTORY [NAME...]   (names that clients use, besides localhost)
# Only the owner can enter the directory. The files in it are readable for the users of the containers that mount them.
set -eu
directory=$1
shift
[ ! -e "$directory" ] || { echo "make_secrets: $directory exists; secrets are not replaced" >&2; exit 1; }
umask 077
mkdir -p "$directory"
cd "$directory"

password() { openssl rand -hex 24; }
password >postgres-password
password >owner-password
password >app-password
redis=$(password)
echo "postgresql://svc_owner:$(cat owner-password)@postgres/svc" >migrate-url
echo "postgresql://svc_app:$(cat app-password)@postgres/svc" >postgres-url
echo "redis://:$redis@redis:6379" >redis-url
printf 'requirepass %s\nmaxmemory 256mb\nmaxmemory-policy noeviction\nsave ""\n' "$redis" >redis.conf
openssl rand -hex 32 >master.key

names=DNS:localhost,IP:127.0.0.1,DNS:haproxy,DNS:svc-1,DNS:svc-2
for name in "$@"; do names=$names,DNS:$name; done
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj "/CN=Authority of these containers" \
  -addext keyUsage=critical,keyCertSign -keyout ca-key.pem -out ca.pem 2>/dev/null
openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=svcd -keyout tls-key.pem -out tls.csr 2>/dev/null
echo "subjectAltName=$names" >extensions
openssl x509 -req -in tls.csr -CA ca.pem -CAkey ca-key.pem -CAcreateserial -days 365 -extfile extensions -out tls-cert.pem 2>/dev/null
rm tls.csr extensions ca.srl
chmod 0644 -- *
chmod 0600 ca-key.pem
