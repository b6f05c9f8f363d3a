/** One wrong place of a request, by JSON pointer or name of a parameter. */
export interface ErrorDetail {
  field: string;
  message: string;
}

/** A refusal of the service. */
export class ApiError extends Error {
  override name = "ApiError";
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string,
    readonly details: ErrorDetail[] = [],
    /** Seconds to wait, from Retry-After. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

/** True if the service has no such thing, for example because it was deleted. */
export const isAbsent = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** The service did not answer at all. */
export class NetworkError extends Error {
  override name = "NetworkError";
  constructor(cause: unknown) {
    super("The service did not answer.", { cause });
  }
}

/** Returns the seconds of a Retry-After header, or undefined if it has none. Dates are relative to `now`. */
export function retryAfterOf(headers: Headers, now = Date.now()): number | undefined {
  const value = headers.get("Retry-After")?.trim();
  if (!value) return undefined;
  if (/^\d{1,6}$/.test(value)) return Number(value);
  const date = /^[A-Z][a-z]{2}, /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}

const isText = (value: unknown): value is string => typeof value === "string";

/** Writes the time of Retry-After where the service's sentence only names the header, which no person sees. */
const withWait = (message: string, seconds: number | undefined): string =>
  message.replace(/(?:retry after the time|wait for the seconds) in Retry-After/, `try again ${seconds ? `in ${seconds} s` : "later"}`);

/** Returns the message without its wait, for pages that try again by themselves. */
export const withoutWait = (message: string): string => message.replace(/; try again (?:in \d+ s|later)\.$/, ".");

/** Returns the error of a response with status 400 or above, whatever its body is. */
export function errorOf(response: Response, body: unknown): ApiError {
  const retryAfter = retryAfterOf(response.headers);
  const value = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const details = Array.isArray(value.details)
    ? value.details.filter((one): one is ErrorDetail => isText(one?.field) && isText(one?.message))
    : [];
  return new ApiError(
    response.status,
    isText(value.code) ? value.code : "unknown",
    isText(value.error) ? withWait(value.error, retryAfter) : `The service answered with status ${response.status}.`,
    isText(value.requestId) ? value.requestId : (response.headers.get("X-Request-Id") ?? ""),
    details,
    retryAfter,
  );
}

/** Returns the error of a response, whose body stays readable. */
export async function readError(response: Response): Promise<ApiError> {
  const text = await response.clone().text();
  try {
    return errorOf(response, JSON.parse(text));
  } catch {
    return errorOf(response, undefined);
  }
}
