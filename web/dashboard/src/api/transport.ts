import { BodyCache } from "./body_cache";
import { ApiError, NetworkError, readError } from "./errors";
import { Semaphore } from "./semaphore";
import { type Sleep, sleep } from "./sleep";

/** Why a person has to sign in before a request can be repeated. */
export type SignInReason = "ended" | "fresh";

export interface TransportOptions {
  /** Lets the person sign in; true if the request is to be repeated. Without it such errors go to the caller. */
  signIn?: (reason: SignInReason, error: ApiError) => Promise<boolean>;
  fetch?: (request: Request) => Promise<Response>;
  /** The service could not reach a store that a request needs. */
  onUnavailable?: () => void;
  sleep?: Sleep;
  bodies?: BodyCache;
  places?: Semaphore;
}

export const REQUESTS_IN_FLIGHT = 4;
export const READ_TRIES = 3;
// A longer Retry-After is for the page, which says when it tries again.
export const LONGEST_WAIT = 15_000;
const NETWORK_PAUSES = [300, 1200];

const ENDED = new Set(["session_required", "session_invalid", "session_expired", "session_ended"]);

function reasonOf(error: ApiError): SignInReason | undefined {
  if (error.status === 401 && ENDED.has(error.code)) return "ended";
  return error.code === "fresh_sign_in_required" ? "fresh" : undefined;
}

/**
 * Sends the requests of a tab: at most four at a time, reads with the ETag of the body that it holds, and repeats those that
 * may be repeated. A write is repeated only after a sign-in, which the service refused before it did anything, or under an
 * Idempotency-Key. One object serves the whole tab.
 */
export class Transport {
  readonly bodies: BodyCache;
  private readonly places: Semaphore;
  private readonly fetch: (request: Request) => Promise<Response>;
  private readonly sleep: Sleep;
  private readonly signIn: TransportOptions["signIn"];
  private readonly onUnavailable: TransportOptions["onUnavailable"];

  constructor(options: TransportOptions = {}) {
    this.bodies = options.bodies ?? new BodyCache();
    this.places = options.places ?? new Semaphore(REQUESTS_IN_FLIGHT);
    this.fetch = options.fetch ?? ((request) => fetch(request));
    this.sleep = options.sleep ?? sleep;
    this.signIn = options.signIn;
    this.onUnavailable = options.onUnavailable;
  }

  /** Returns a transport that shares places and bodies and never asks for a sign-in. */
  withoutSignIn(): Transport {
    const { fetch, sleep: pause, bodies, places, onUnavailable } = this;
    return new Transport({ fetch, sleep: pause, bodies, places, onUnavailable });
  }

  readonly send = (request: Request): Promise<Response> =>
    this.repeat(request, (copy) => this.places.run(() => this.attempt(copy)));

  /** Opens a stream, which does not count among the requests in flight. */
  readonly open = (request: Request): Promise<Response> => this.repeat(request, (copy) => this.fetch(copy));

  private async repeat(request: Request, attempt: (copy: Request) => Promise<Response>): Promise<Response> {
    const isRead = request.method === "GET" || request.method === "HEAD";
    const mayRepeat = isRead || request.headers.has("Idempotency-Key");
    let tries = 1;
    let rotated = false;
    let signIns = 0;
    for (;;) {
      let response: Response;
      try {
        response = await attempt(request.clone());
      } catch (error) {
        if (request.signal.aborted) throw error;
        const pause = NETWORK_PAUSES[tries - 1];
        if (!mayRepeat || pause === undefined) throw new NetworkError(error);
        tries++;
        await this.sleep(pause, request.signal);
        continue;
      }
      if (response.status < 400) return response;
      const error = await readError(response);
      if (error.code === "unavailable") this.onUnavailable?.();
      const reason = reasonOf(error);
      if (error.code === "session_rotated" && !rotated) {
        rotated = true;
      } else if (reason && this.signIn && signIns < 2) {
        signIns++;
        if (!(await this.signIn(reason, error))) return response;
      } else if ((error.status === 503 || error.status === 429) && mayRepeat && tries < READ_TRIES) {
        const pause = (error.retryAfter ?? 1) * 1000;
        if (pause > LONGEST_WAIT) return response;
        tries++;
        await this.sleep(pause, request.signal);
      } else {
        return response;
      }
    }
  }

  private async attempt(request: Request): Promise<Response> {
    if (request.method !== "GET") return this.fetch(request);
    // Two projects may have the same path.
    const key = `${request.headers.get("Svc-Project") ?? ""} ${request.headers.get("Accept") ?? ""} ${request.url}`;
    // An ETag leaves out members that pass by themselves, such as the last use of a token.
    const whole = request.headers.has("If-None-Match") || request.headers.get("Cache-Control") === "no-cache";
    const stored = whole ? undefined : this.bodies.get(key);
    if (stored) request.headers.set("If-None-Match", stored.etag);
    const response = await this.fetch(request);
    if (response.status === 304 && stored) return new Response(stored.body, { headers: stored.headers });
    const etag = response.headers.get("ETag");
    if (response.status !== 200 || !etag || !response.headers.get("Content-Type")?.includes("json")) return response;
    const body = await response.text();
    const headers = [...response.headers];
    this.bodies.set(key, { etag, body, headers });
    return new Response(body, { headers });
  }
}
