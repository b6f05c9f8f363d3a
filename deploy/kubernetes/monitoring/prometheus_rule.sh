#!/bin/sh
# Prints deploy/prometheus/alerts.yml as a PrometheusRule of the Prometheus Operator, so that the rules have one source.
# usage: deploy/kubernetes/monitoring/prometheus_rule.sh | kubectl apply -n NAMESPACE -f -
set -eu
cd "$(dirname "$0")"
cat <<'END'
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: svcd
  labels: {app.kubernetes.io/name: svcd, app.kubernetes.io/component: admin}
spec:
END
sed 's/^/  /' ../../prometheus/alerts.yml
