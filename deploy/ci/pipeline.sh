#!/bin/sh
# For any other system: triggers a job, shows its output live, and exits with a code that reflects the run's result.
# SERVICE_URL, SERVICE_JOB (the job's id), SERVICE_TOKEN and SERVICE_TRIGGER_KEY come from masked variables; SERVICE_CACERT is
# a PEM file, if the service has an authority of its own. BUILD_ID: the system's id of this attempt at this step.
set -eu
curl -fsSL --retry 3 ${SERVICE_CACERT:+--cacert "$SERVICE_CACERT"} -o install-svc.sh "${SERVICE_URL%/}/cli/install.sh"
sh install-svc.sh --dir "$PWD/.svc"
.svc/svc job trigger "$SERVICE_JOB" --follow --timeout 1800 --cancel-on-interrupt \
  --junit svc-report.xml --idempotency-key "$BUILD_ID"
