import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, project, service, test } from "./fixtures.mjs";
import { buildPages, freePort, startInstance } from "./instances.mjs";
import { long } from "./measure.mjs";

const LOADS = long ? 20 : 6;
let folder;
let instances;
let proxy;
let url;

test.beforeAll(async ({ request }) => {
  test.setTimeout(120_000);
  folder = mkdtempSync(path.join(os.tmpdir(), "svc-web-skew-"));
  const bundles = ["one", "two"].map((name) => path.join(folder, name));
  bundles.forEach((bundle) => buildPages(bundle, path.basename(bundle)));
  instances = await Promise.all(bundles.map((bundle) => startInstance({ SVC_DASHBOARD_DIRECTORY: bundle })));
  const tls = path.join(service.dataDir, "tls");
  const pem = ["server.pem", "server-key.pem"].map((name) => readFileSync(path.join(tls, name)));
  writeFileSync(path.join(folder, "server.pem"), Buffer.concat(pem), { mode: 0o600 });
  const port = await freePort();
  writeFileSync(path.join(folder, "haproxy.cfg"), `
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend pages
  bind 127.0.0.1:${port} ssl crt ${folder}/server.pem
  default_backend instances
backend instances
  balance roundrobin
${instances.map((one, at) => `  server i${at} ${new URL(one.url).host} ssl verify none\n`).join("")}`);
  proxy = spawn("/usr/sbin/haproxy", ["-db", "-f", path.join(folder, "haproxy.cfg")], { stdio: "inherit" });
  url = `https://127.0.0.1:${port}`;
  await expect(async () => request.get(`${url}/app/boot.js`)).toPass();
});
test.afterAll(async () => {
  proxy?.kill("SIGKILL");
  await Promise.all((instances ?? []).map((one) => one.stop()));
  rmSync(folder, { recursive: true, force: true });
});

test("two bundles alternate behind HAProxy without a broken page", async ({ browser, request }) => {
  test.setTimeout(240_000);
  const seen = new Set();
  let missing = 0;
  for (let load = 0; load < LOADS; load++) {
    // An empty cache each time, so that every file of a bundle is asked for while the other one may answer.
    const context = await browser.newContext({ ignoreHTTPSErrors: true, storageState: service.state });
    const page = await context.newPage();
    const errors = [];
    // A page asks for an even number of files, so that without this request the same instance would send each page.
    if (load % 2) await request.get(`${url}/app/boot.js`);
    page.on("response", (response) => (missing += response.status() === 404 ? 1 : 0));
    page.on("pageerror", (error) => errors.push(error.message));
    await page.goto(`${url}${project}/jobs`);
    seen.add(await page.locator('meta[name="svc-entry"]').getAttribute("content"));
    await expect(page.getByRole("heading", { name: "Jobs", level: 1 }), `load ${load + 1}`).toBeVisible();
    await page.getByRole("link", { name: "Tokens" }).first().click();
    await expect(page.getByRole("heading", { name: "CLI tokens", level: 1 }), `load ${load + 1}`).toBeVisible();
    expect(errors).toEqual([]);
    await context.close();
  }
  expect(seen.size).toBe(2);
  expect(missing).toBeGreaterThan(0);
});
