#!/bin/sh
# PostgreSQL's image runs this once, in an empty server. It creates the roles and the database of docs/operating.md.
set -eu
secrets=${SECRETS:-/run/secrets}
psql -v ON_ERROR_STOP=1 -U postgres -v owner="$(cat "$secrets/owner-password")" -v app="$(cat "$secrets/app-password")" <<'END'
CREATE ROLE svc_service NOLOGIN;
CREATE ROLE svc_owner LOGIN PASSWORD :'owner';
CREATE ROLE svc_app LOGIN PASSWORD :'app' IN ROLE svc_service;
CREATE DATABASE svc OWNER svc_owner;
END
