/** Lines for a shell that ask the public API for what a page shows. */

export interface ApiRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  query?: Record<string, string | number | undefined>;
  headers?: Record<string, string>;
  body?: unknown;
  /** The operation takes no token. */
  anonymous?: boolean;
}

/** Returns a word that a POSIX shell reads as exactly this text. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

const used = (values: Record<string, string | number | undefined>): [string, string][] =>
  Object.entries(values).filter(([, value]) => value !== undefined && value !== "").map(([name, value]) => [name, String(value)]);

/** Returns the line for curl. The token comes from a variable, so that no line holds a secret. */
export function curlLine(origin: string, { method, path, query = {}, headers = {}, body, anonymous }: ApiRequest): string {
  const parameters = new URLSearchParams(used(query)).toString();
  const address = origin + path + (parameters && `?${parameters}`);
  const all = [...Object.entries(headers), ...(body === undefined ? [] : [["Content-Type", "application/json"]])];
  return [
    "curl --fail-with-body", ...(method === "GET" ? [] : [`-X ${method}`]),
    ...(anonymous ? [] : ['-H "Authorization: Bearer $SERVICE_TOKEN"']),
    ...all.map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${shellWord(JSON.stringify(body))}`]), shellWord(address),
  ].join(" ");
}

/** Returns the line for the client: its words, then the options that have a value. */
export function svcLine(words: readonly string[], options: Record<string, string | number | undefined> = {}): string {
  const values = used(options).flatMap(([name, value]) => [`--${name}`, shellWord(value)]);
  return ["svc", ...words.map(shellWord), ...values].join(" ");
}
