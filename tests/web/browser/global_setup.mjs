import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { chromium } from "@playwright/test";
import { CHROMIUM } from "./chromium.mjs";

const svcd = process.env.SVC_BIN;
const START = 120_000;
/** The start of the links of messages. Nobody serves it: a test opens the rest of the link at the address of the service. */
export const LINKS = "https://dashboard.test";
// All sites of origins.spec.mjs have one address, and its attempts shall meet the rule about origins, not a full window. On a busy
// machine a missed deadline would be a 503 that says nothing about the pages.
const SETTINGS = {
  SVC_LIMITS_ANONYMOUS_LIMIT: "1000000", SVC_LIMITS_SIGN_IN_LIMIT: "1000000",
  SVC_LIMITS_SIGN_IN_ACCOUNT_LIMIT: "1000000", SVC_REDIS_DEADLINE: "1s", SVC_HTTP_DEADLINE: "8s",
  SVC_POSTGRES_STATEMENT_TIMEOUT: "8s", SVC_HTTP_QUEUE_TIME: "8s",
  SVC_NOTIFICATIONS_LINK: `${LINKS}/app/go/{type}/{id}`,
};

/** Starts `svcd dev` with private stores on free ports; resolves with what it prints. */
function serve(directory) {
  const child = spawn(svcd, [
    "dev", "--data-dir", directory, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--print", "json",
  ], { stdio: ["ignore", "pipe", "ignore"], env: { ...process.env, ...SETTINGS } });
  const ready = new Promise((resolve, reject) => {
    let printed = "";
    const timer = setTimeout(() => reject(new Error("svcd dev was not ready in time")), START);
    child.stdout.on("data", (piece) => {
      printed += piece;
      const end = printed.indexOf("\n");
      if (end < 0) return;
      clearTimeout(timer);
      resolve(JSON.parse(printed.slice(0, end)));
    });
    child.on("exit", (code) => reject(new Error(`svcd dev ended with ${code}`)));
  });
  return { child, ready };
}

/** A new link that signs the sample user in once. */
export function signInLink(service) {
  const printed = execFileSync(svcd, ["admin", "create-sign-in-link", "--config", service.configFile, "--user", service.userId]);
  return service.url + /\/app\/link#\S+/.exec(printed.toString())[0];
}

export const PASSWORD = "a long sentence for the tests of pages";

/** Signs the sample user in by a link and sets a password, and keeps the session for the tests. */
async function signIn(service, file) {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  try {
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    const answer = await page.goto(`${service.url}/app/`);
    if (answer.status() !== 200) throw new Error(`The service has no pages: ${await answer.text()}`);
    await page.goto("about:blank");
    await page.goto(signInLink(service));
    await page.getByLabel("New password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Jobs" }).waitFor({ timeout: 60_000 }).catch(async (error) => {
      throw new Error(`After the sign-in ${page.url()} shows: ${await page.locator("body").innerText()}`, { cause: error });
    });
    await context.storageState({ path: file });
  } finally {
    await browser.close();
  }
}

export default async function setUp() {
  if (!svcd) throw new Error("SVC_BIN names no svcd; use tests/web/run.sh");
  const directory = mkdtempSync(path.join(os.tmpdir(), "svc-web-"));
  chmodSync(directory, 0o711); // the user of the stores passes through
  const { child, ready } = serve(path.join(directory, "data"));
  const tearDown = async () => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    if (child.exitCode === null) {
      child.kill("SIGTERM");
      await ended;
    }
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const service = await ready;
    process.env.TEST_WEB_SERVICE = JSON.stringify({ ...service, state: path.join(directory, "state.json") });
    await signIn(service, path.join(directory, "state.json"));
  } catch (error) {
    await tearDown();
    throw error;
  }
  return tearDown;
}
