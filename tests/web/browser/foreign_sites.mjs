// Sites of somebody else beside the service, and what the service has stored.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import https from "node:https";
import path from "node:path";
import { sql } from "./database.mjs";
import { service } from "./fixtures.mjs";

const files = path.join(service.dataDir, "tls");
const certificate = {
  key: readFileSync(path.join(files, "server-key.pem")), cert: readFileSync(path.join(files, "server.pem")),
};

/** Chromium finds all these names on this machine. */
export const NAMES = "--host-resolver-rules=MAP *.test 127.0.0.1";
async function listen(handler) {
  const server = https.createServer(certificate, handler);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: server.address().port, close: () => { server.closeAllConnections(); server.close(); } };
}

/** A server of an attacker: an empty page, redirects that keep method and body, and cookies of the attacker's choice. */
export const serveForeignSite = () => listen((request, answer) => {
  const query = new URL(request.url, "https://any.test").searchParams;
  request.resume();
  if (query.has("to")) answer.writeHead(307, { Location: query.get("to") });
  else answer.writeHead(200, { "Content-Type": "text/html; charset=utf-8", "Set-Cookie": query.getAll("cookie") });
  answer.end("<!doctype html><title>A site of somebody else</title>");
});

/**
 * The service under a name that has siblings, through a proxy that notes each request and its answer. `change` may edit the
 * headers of a request first.
 */
export async function serveNamed(change = (headers) => headers) {
  const seen = [];
  const server = await listen((request, answer) => {
    const { method, headers } = request;
    const noted = { method, path: request.url.split("?")[0], site: headers["sec-fetch-site"] };
    seen.push(noted);
    const onward = https.request(service.url + request.url, {
      method, headers: change({ ...headers }), rejectUnauthorized: false,
    }, (got) => {
      noted.status = got.statusCode;
      noted.shared = got.headers["access-control-allow-origin"];
      answer.writeHead(got.statusCode, got.rawHeaders);
      got.pipe(answer);
    });
    onward.on("error", (error) => {
      noted.status = error.message;
      answer.destroy();
    });
    request.pipe(onward);
  });
  return { ...server, seen, url: `https://app.service.test:${server.port}` };
}

/** Calls every request one of the service's own pages: as if nobody checked the origin. */
export const withoutOrigin = ({ origin, ...headers }) => ({ ...headers, "sec-fetch-site": "same-origin" });

// Background work changes the other tables. A schedule of another test may be due at any time.
const TABLES = [
  "audit_log", "idempotency_keys", "identities", "invitations", "job_tests", "jobs", "links", "monitors",
  "notification_providers", "one_time_secrets", "organization_members", "organizations", "passwords", "project_members",
  "projects", "run_history", "run_queue", "runner_tokens", "sessions", "system_mails", "tags", "tests", "token_secrets",
  "tokens", "users", "variables",
];
const CHANGING = "'{last_seen_at,last_ip,last_used_at,next_run_at}'::text[]";
const SCHEDULED = { run_history: "WHERE trigger <> 'schedule'", run_queue: "WHERE trigger <> 'schedule'" };

/** Number and digest of the rows of each table that a request could write. */
export function storedRows() {
  const parts = TABLES.map((table) =>
    `SELECT '${table}', count(*), md5(coalesce(string_agg(row, '|' ORDER BY row), '')) FROM ` +
    `(SELECT (to_jsonb(t) - ${CHANGING})::text AS row FROM ${table} t ${SCHEDULED[table] ?? ""}) AS rows`);
  return sql(parts.join(" UNION ALL "));
}

/** Runs a command of the operator and returns its JSON. */
export const admin = (command, ...more) => JSON.parse(
  execFileSync(process.env.SVC_BIN, ["admin", command, "--config", service.configFile, "--json", ...more]).toString());

/** The secret of a new link that signs a user in once. */
export const newLinkSecret = (user) => admin("create-sign-in-link", "--user", user).link.split("#")[1];

/** Number of requests that the service has refused because another site made them. */
export async function refusedRequests(request) {
  const page = await (await request.get(`${service.adminUrl}/metrics`)).text();
  const lines = page.split("\n").filter((line) => line.startsWith("svc_cross_site_refused_total"));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}
