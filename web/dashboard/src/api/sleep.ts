export type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

/** Resolves after the time, or rejects when the signal is aborted. */
export const sleep: Sleep = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, milliseconds);
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });

const scheduler = (globalThis as { scheduler?: { yield?: () => Promise<void> } }).scheduler;

/** Ends the present task, so that the browser can answer input and paint; resolves in a later task. */
export const nextTask = (): Promise<void> =>
  scheduler?.yield ? scheduler.yield() : new Promise((resolve) => setTimeout(resolve, 0));
