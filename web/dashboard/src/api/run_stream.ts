import { nextPiece } from "./body_reader";
import { ApiError, readError } from "./errors";
import { type Sleep, nextTask, sleep } from "./sleep";
import { EventParser, type ServerEvent } from "./sse";

export type RunEvent =
  | { type: "status"; status: string }
  | { type: "console"; attempt: number; line: string; stream: "stdout" | "stderr" }
  | { type: "gap"; after: string; before: string }
  | { type: "dropped"; reason: string }
  | { type: "complete"; status: string };

/** `polling`: too many streams are open, so the page asks for the status; `failed` holds the reason. */
export type StreamState =
  | { name: "connecting" | "live" | "paused" | "complete" }
  | { name: "lost"; since: number }
  | { name: "polling" }
  | { name: "failed"; error: ApiError };

export interface RunStreamOptions {
  /** Opens the stream behind an event; it carries Svc-Project and goes through the transport. */
  open: (lastEventId: string | undefined, signal: AbortSignal) => Promise<Response>;
  onEvents: (events: RunEvent[]) => void;
  onState: (state: StreamState) => void;
  sleep?: Sleep;
  random?: () => number;
}

export const POLL_PAUSE = 10_000;
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 15_000;
// A piece of the network may hold thousands of lines. Reading it is cut into parts of this many bytes, and a task ends after
// this many milliseconds, so that the page answers input meanwhile.
const PART = 32 * 1024;
const LONGEST_TASK = 20;

/** Returns the number that these digits form, or -1. */
function digits(id: string, from: number, to: number): number {
  if (to <= from || to - from > 15) return -1;
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = id.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** The place of an event in the output of a run. */
export interface Position {
  attempt: number;
  number: number;
}

/** Returns attempt and number of an id such as `1-204`, or undefined. It reads each line's id, so it uses no expression. */
export function positionOf(id: string): Position | undefined {
  const hyphen = id.indexOf("-");
  const attempt = digits(id, 0, hyphen);
  const number = attempt < 0 ? -1 : digits(id, hyphen + 1, id.length);
  return number < 0 ? undefined : { attempt, number };
}

/** True if the event at `position` does not follow the one at `last`: it was delivered before. */
export function isRepeated(position: Position | undefined, last: Position | undefined): boolean {
  if (!position || !last) return false;
  return position.attempt < last.attempt || (position.attempt === last.attempt && position.number <= last.number);
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Returns what an event says, or undefined if this page does not know it. */
export function parseRunEvent({ event, data }: ServerEvent, attempt: number): RunEvent | undefined {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(data);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  switch (event) {
    case "status":
    case "complete":
      return { type: event, status: text(value.status) };
    case "console":
      return {
        type: "console",
        attempt,
        line: text(value.line),
        stream: value.stream === "stderr" ? "stderr" : "stdout",
      };
    case "gap":
      return { type: "gap", after: text(value.after), before: text(value.before) };
    case "dropped":
      return { type: "dropped", reason: text(value.reason) };
    default:
      return undefined;
  }
}

/**
 * Follows the stream of one run over lost connections until it is complete. Each connection continues behind the last event,
 * so no event is lost or delivered twice. While the tab is hidden, `pause` ends the connection.
 */
export class RunStream {
  private lastEventId: string | undefined;
  private last: Position | undefined;
  private connection: AbortController | undefined;
  private state: StreamState["name"] = "connecting";
  private failures = 0;
  private retry = FIRST_PAUSE;
  private readonly sleep: Sleep;

  constructor(private readonly options: RunStreamOptions) {
    this.sleep = options.sleep ?? sleep;
  }

  /** Starts or continues; does nothing if the stream is open or complete. */
  start(): void {
    if (this.connection || this.state === "complete" || this.state === "failed") return;
    this.connection = new AbortController();
    void this.follow(this.connection.signal);
  }

  /** Ends the connection; `start` continues behind the last event. */
  pause(): void {
    if (!this.connection) return;
    this.connection.abort();
    this.connection = undefined;
    this.set({ name: "paused" });
  }

  close(): void {
    this.connection?.abort();
    this.connection = undefined;
  }

  private set(state: StreamState): void {
    this.state = state.name;
    this.options.onState(state);
  }

  private finish(state: StreamState): void {
    this.connection = undefined;
    this.set(state);
  }

  private async follow(signal: AbortSignal): Promise<void> {
    if (this.state !== "lost") this.set({ name: "connecting" });
    while (!signal.aborted) {
      let pause: number | undefined;
      try {
        const response = await this.options.open(this.lastEventId, signal);
        if (signal.aborted) return;
        if (response.status === 204) return this.finish({ name: "complete" });
        if (response.ok && response.body) {
          if (await this.read(response.body, signal)) return this.finish({ name: "complete" });
        } else {
          const error = await readError(response);
          if (signal.aborted) return;
          if (error.code === "stream_limit_reached") {
            this.set({ name: "polling" });
            pause = (error.retryAfter ?? 0) * 1000 || POLL_PAUSE;
          } else if (error.status >= 500 || error.status === 429) {
            pause = error.retryAfter && error.retryAfter * 1000;
          } else {
            return this.finish({ name: "failed", error });
          }
        }
      } catch {
        // The connection is lost; the next one continues behind the last event.
      }
      if (signal.aborted) return;
      if (this.state !== "polling" && this.state !== "lost") this.set({ name: "lost", since: Date.now() });
      const backoff = Math.min(this.retry * 2 ** Math.min(this.failures, 10), LONGEST_PAUSE);
      this.failures++;
      const spread = 0.5 + 0.5 * (this.options.random ?? Math.random)();
      await this.sleep(pause ?? backoff * spread, signal).catch(() => {});
    }
  }

  /** Delivers the events of one connection; true if the run is complete. */
  private async read(body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<boolean> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    const parser = new EventParser();
    let complete = false;
    this.set({ name: "live" });
    try {
      while (!complete) {
        const piece = await nextPiece(reader, signal);
        if (piece.done || signal.aborted) break;
        let taskStart = performance.now();
        for (let at = 0; at < piece.value.length && !complete; at += PART) {
          if (performance.now() - taskStart > LONGEST_TASK) {
            await nextTask();
            if (signal.aborted) return false;
            taskStart = performance.now();
          }
          complete = this.deliver(parser.push(decoder.decode(piece.value.subarray(at, at + PART), { stream: true })));
          if (parser.retry !== undefined) this.retry = Math.max(parser.retry, 100);
        }
      }
    } finally {
      void reader.cancel().catch(() => {});
    }
    return complete;
  }

  /** Delivers the events that are new; true if one says that the run is complete. */
  private deliver(raws: ServerEvent[]): boolean {
    const events: RunEvent[] = [];
    let complete = false;
    for (const raw of raws) {
      const position = positionOf(raw.id);
      if (isRepeated(position, this.last)) continue;
      if (raw.id) {
        this.lastEventId = raw.id;
        this.last = position;
      }
      const event = parseRunEvent(raw, position?.attempt ?? 0);
      if (event) events.push(event);
      if (event?.type === "complete") complete = true;
    }
    if (events.length) {
      this.failures = 0;
      this.options.onEvents(events);
    }
    return complete;
  }
}
