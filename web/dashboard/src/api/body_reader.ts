import { sleep } from "./sleep";

// Three heartbeats; a connection that is silent for longer is dead.
const SILENCE = 45_000;

async function silent(signal: AbortSignal): Promise<never> {
  await sleep(SILENCE, signal).catch(() => new Promise(() => {}));
  throw new Error("The stream is silent.");
}

/** Returns the next piece of a stream; fails if it is silent for three heartbeats. */
export async function nextPiece(reader: ReadableStreamDefaultReader<Uint8Array>, signal: AbortSignal) {
  const silence = new AbortController();
  const stop = () => silence.abort();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([reader.read(), silent(silence.signal)]);
  } finally {
    silence.abort();
    signal.removeEventListener("abort", stop);
  }
}
