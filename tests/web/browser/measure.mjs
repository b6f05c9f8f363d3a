/**
 * Budgets of the dashboard (tests/README.md has the table). They hold for a processor that is four times slower than this one.
 * `TEST_BUDGETS=1` slows the browser down and measures what a person waits, which needs a quiet machine. Otherwise the bounds are
 * in processor time of the page's main thread at full speed, and twice a fourth, because other work on the machine costs caches.
 */
export const long = Boolean(process.env.TEST_BUDGETS);
export const SLOWDOWN = 4;
const ROOM = 2;
export const allowed = (milliseconds) => (long ? milliseconds : milliseconds / SLOWDOWN * ROOM);

export async function slowDown(page) {
  const session = await page.context().newCDPSession(page);
  if (long) await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  return session;
}

/** Does the work; returns its time and its longest task in milliseconds, of a clock or of the main thread's processor time. */
export async function timed(page, work) {
  const browser = page.context().browser();
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline"] });
  const start = performance.now();
  await work();
  const elapsed = performance.now() - start;
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const threads = new Set();
  for (const event of traceEvents) {
    if (event.name === "thread_name" && event.args.name === "CrRendererMain") threads.add(`${event.pid}:${event.tid}`);
  }
  const tasks = traceEvents.filter((event) =>
    event.ph === "X" && event.name.endsWith("::RunTask") && threads.has(`${event.pid}:${event.tid}`));
  const times = tasks.map((event) => (event.tdur ?? 0) / 1000);
  const total = times.reduce((sum, one) => sum + one, 0);
  if (!times.length) throw new Error("The trace has no tasks of the page.");
  // The clock also shows tasks that wait for the processor, so the longest task is always processor time.
  return { time: long ? elapsed : total, longest: Math.max(...times) };
}

export function report(name, value, bound, unit) {
  console.log(`  ${name}: ${value.toFixed(unit === "MB" ? 1 : 0)} ${unit} of ${bound.toFixed(0)}`);
}

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
