import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CHROMIUM, chromiumFlags } from "./chromium.mjs";

/** Milliseconds until a page shows everything, also in a slow browser. */
const SETTLED = 4_000;
const LARGEST_PAINT = `new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
  .observe({ type: "largest-contentful-paint", buffered: true }))`;

/** The DevTools protocol over chromium's descriptors 3 and 4, with messages that end with a zero byte. */
class Protocol {
  #input;
  #waiting = new Map();
  #number = 0;
  #unread = "";

  constructor(input, output) {
    this.#input = input;
    output.setEncoding("utf8").on("data", (piece) => {
      const messages = (this.#unread + piece).split("\0");
      this.#unread = messages.pop();
      messages.map((text) => JSON.parse(text)).forEach((message) => this.#receive(message));
    });
  }

  #receive({ id, result, error }) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.reject(new Error(error.message));
    else waiting?.resolve(result);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.#number;
    this.#input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }
}

/**
 * A browser as a person has it: with a profile, which keeps compiled script, and with nothing that looks into its pages. Playwright's
 * own script and the stack traces that DevTools take for each request cost a quarter of the time of a first page.
 */
export class BareBrowser {
  #profile = mkdtempSync(path.join(os.tmpdir(), "svc-web-profile-"));
  #process;
  #protocol;
  #session;

  /** Starts chromium `slowdown` times slower, with the cookies of a context of Playwright. */
  async start({ slowdown, cookies }) {
    this.#process = spawn(CHROMIUM, [
      ...chromiumFlags(), "--headless=new", "--remote-debugging-pipe", `--user-data-dir=${this.#profile}`, "--window-size=1280,985",
      "--no-first-run", "--disable-background-networking", "--disable-component-update", "about:blank",
    ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.#protocol = new Protocol(this.#process.stdio[3], this.#process.stdio[4]);
    await this.#protocol.send("Storage.setCookies", {
      cookies: cookies.map(({ expires, ...cookie }) => ({ ...cookie, ...(expires > 0 ? { expires } : {}) })),
    });
    const { targetInfos } = await this.#protocol.send("Target.getTargets");
    const { targetId } = targetInfos.find((one) => one.type === "page");
    ({ sessionId: this.#session } = await this.#protocol.send("Target.attachToTarget", { targetId, flatten: true }));
    await this.#send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  }

  /** Opens an address in the same tab and returns the milliseconds until its largest paint. */
  async open(address) {
    await this.#send("Page.navigate", { url: address });
    await sleep(SETTLED);
    const { result } = await this.#send("Runtime.evaluate", { expression: LARGEST_PAINT, awaitPromise: true, returnByValue: true });
    return result.value;
  }

  /** Leaves the page. The next one has a process of its own, as in a new tab. */
  async leave() {
    await this.#send("Page.navigate", { url: "about:blank" });
    await sleep(500);
  }

  /** Also ends a browser that did not start as a whole. */
  async close() {
    if (this.#process && this.#process.exitCode === null) {
      const ended = new Promise((resolve) => this.#process.once("exit", resolve));
      this.#process.kill();
      await ended;
    }
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  #send(method, params) {
    return this.#protocol.send(method, params, this.#session);
  }
}
