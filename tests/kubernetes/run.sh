#!/bin/sh
# Renders deploy/kubernetes by `kubectl kustomize` and checks each object against the schemas of Kubernetes and of the Prometheus
# Operator. Nothing is applied to a cluster.
# usage: tests/kubernetes/run.sh   (KUBECTL=PATH: a kubectl of 1.27 or newer, which Debian 12 does not have; Node 20)
set -eu
cd "$(dirname "$0")"
kubectl=${KUBECTL:-kubectl}
command -v "$kubectl" >/dev/null || { echo "tests/kubernetes: no kubectl; set KUBECTL to one of 1.27 or newer" >&2; exit 1; }

stamp=node_modules/.installed-lock.json
if ! cmp -s package-lock.json "$stamp"; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2
  cp package-lock.json "$stamp"
fi

rendered=$(mktemp -d)
trap 'rm -rf "$rendered"' EXIT
place=../../deploy/kubernetes
for part in base migrate runner example/svcd example/migrate example/runner; do
  "$kubectl" kustomize "$place/$part" >"$rendered/$(echo "$part" | tr / -).yaml"
done
"$place/monitoring/prometheus_rule.sh" >"$rendered/prometheus_rule.yaml"
node check.mjs "$rendered"/*.yaml
