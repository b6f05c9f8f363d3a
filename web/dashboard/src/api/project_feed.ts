import { nextPiece } from "./body_reader";
import { readError } from "./errors";
import { type Sleep, sleep } from "./sleep";
import { EventParser, type ServerEvent } from "./sse";

/** What has changed in a project. `kinds` undefined means that anything may have. */
export interface Change {
  kinds: ReadonlySet<string> | undefined;
}

export interface ProjectFeedOptions {
  /** Opens the stream; it carries Svc-Project and goes through the transport. */
  open: (signal: AbortSignal) => Promise<Response>;
  onChange: (change: Change) => void;
  /** True from `ready` until the stream ends, is degraded or pauses; pages poll while it is false. */
  onLive: (live: boolean) => void;
  /** The service has lost the store that brings changes. */
  onDegraded: () => void;
  onBundle: (bundle: string) => void;
  sleep?: Sleep;
  random?: () => number;
}

const POLL_PAUSE = 10_000;
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 15_000;
// An instance of an earlier version has no such stream; another one may answer later.
const MISSING_PAUSE = 60_000;

interface Event_ {
  name: string;
  value: Record<string, unknown>;
}

function parse({ event, data }: ServerEvent): Event_ | undefined {
  try {
    const value: unknown = JSON.parse(data);
    if (typeof value === "object" && value !== null) return { name: event, value: value as Record<string, unknown> };
  } catch {
    // An event that this page does not understand changes nothing.
  }
  return undefined;
}

/**
 * Follows the changes of one project over lost connections. Delivery is at most once, so after each `ready` everything shown is
 * read again. While the tab is hidden, `pause` ends the connection.
 */
export class ProjectFeed {
  private connection: AbortController | undefined;
  private live = false;
  private failures = 0;
  private retry = FIRST_PAUSE;
  private readonly sleep: Sleep;

  constructor(private readonly options: ProjectFeedOptions) {
    this.sleep = options.sleep ?? sleep;
  }

  /** Starts or continues; does nothing while a connection is open. */
  start(): void {
    if (this.connection) return;
    this.connection = new AbortController();
    void this.follow(this.connection.signal);
  }

  pause(): void {
    this.connection?.abort();
    this.connection = undefined;
    this.setLive(false);
  }

  private setLive(live: boolean): void {
    if (this.live === live) return;
    this.live = live;
    this.options.onLive(live);
  }

  private async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let pause: number | undefined;
      try {
        const response = await this.options.open(signal);
        if (signal.aborted) return;
        if (response.ok && response.body) await this.read(response.body, signal);
        else {
          const { code, status, retryAfter } = await readError(response);
          pause = retryAfter !== undefined ? retryAfter * 1000 : undefined;
          if (code === "stream_limit_reached") pause ??= POLL_PAUSE;
          else if (status < 500 && status !== 429) pause = MISSING_PAUSE;
        }
      } catch {
        // The connection is lost; the next one says from when on changes are complete.
      }
      if (signal.aborted) return;
      this.setLive(false);
      const backoff = Math.min(this.retry * 2 ** Math.min(this.failures++, 10), LONGEST_PAUSE);
      const spread = 0.5 + 0.5 * (this.options.random ?? Math.random)();
      await this.sleep(pause ?? backoff * spread, signal).catch(() => {});
    }
  }

  private async read(body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    const parser = new EventParser();
    try {
      for (;;) {
        const piece = await nextPiece(reader, signal);
        if (piece.done || signal.aborted) return;
        this.deliver(parser.push(decoder.decode(piece.value, { stream: true })));
        if (parser.retry !== undefined) this.retry = Math.max(parser.retry, 100);
      }
    } finally {
      void reader.cancel().catch(() => {});
    }
  }

  /** Events of one piece are one change, so that a page reads once. */
  private deliver(events: ServerEvent[]): void {
    let kinds: Set<string> | undefined = new Set();
    for (const { name, value } of events.map(parse).filter((one) => one !== undefined)) {
      if (name === "ready") {
        this.failures = 0;
        this.setLive(true);
        kinds = undefined;
        if (typeof value.bundle === "string") this.options.onBundle(value.bundle);
      } else if (name === "degraded") {
        this.setLive(false);
        this.options.onDegraded();
      }
      if (name === "runs") kinds?.add("run");
      else if (name === "changed" && typeof value.resource === "string") kinds?.add(value.resource);
    }
    if (kinds === undefined || kinds.size > 0) this.options.onChange({ kinds });
  }
}
