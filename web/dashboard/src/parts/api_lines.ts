/** Lines for a shell that ask the public API for what a page shows. */

export interface ApiRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  query?: Record<string, string | number | undefined>;
  headers?: Record<string, string>;
  body?: unknown;
  /** JSON pointers of texts of the body that no line may hold. Lines take them from variables. */
  secrets?: readonly string[];
  /** The operation takes no token. */
  anonymous?: boolean;
}

/** Returns a word that a POSIX shell reads as exactly this text. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

const used = (values: Record<string, string | number | undefined>): [string, string][] =>
  Object.entries(values).filter(([, value]) => value !== undefined && value !== "").map(([name, value]) => [name, String(value)]);

/** Returns the variable of each secret, by its JSON pointer, such as HEADER_X_API_KEY of `/config/headers/X-Api-Key`. */
export function secretVariables(pointers: readonly string[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const pointer of pointers) {
    const last = pointer.slice(pointer.lastIndexOf("/") + 1).replace(/([a-z])([A-Z])/g, "$1_$2");
    const name = (pointer.includes("/headers/") ? `header_${last}` : last).toUpperCase().replace(/[^A-Z0-9]+/g, "_");
    const taken = new Set(names.values());
    let number = 1;
    while (taken.has(number === 1 ? name : `${name}_${number}`)) number++;
    names.set(pointer, number === 1 ? name : `${name}_${number}`);
  }
  return names;
}

// Characters for private use, which no line keeps.
const mark = (name: string): string => `\uE000${name}\uE001`;

function withMarks(value: unknown, names: ReadonlyMap<string, string>, pointer = ""): unknown {
  const name = names.get(pointer);
  if (name !== undefined && typeof value === "string") return mark(name);
  if (Array.isArray(value)) return value.map((one, at) => withMarks(one, names, `${pointer}/${at}`));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withMarks(one, names, `${pointer}/${key}`)]));
}

/** Returns the body as a word for a shell, in which variables stand for its secrets. */
function bodyWord({ body, secrets = [] }: ApiRequest): string {
  const names = secretVariables(secrets);
  let word = shellWord(JSON.stringify(withMarks(body, names)));
  for (const name of names.values()) word = word.replaceAll(mark(name), `'"$${name}"'`);
  return word;
}

/** Returns how a line gives the body: a body with a secret comes by stdin, because all users of a machine see the words of a command. */
function bodyParts(request: ApiRequest, stdin: string): { before: string; options: string[] } {
  if (request.body === undefined) return { before: "", options: [] };
  const word = bodyWord(request);
  return request.secrets?.length ? { before: `printf %s ${word} | `, options: [`-d ${stdin}`] } : { before: "", options: [`-d ${word}`] };
}

/** Returns the line for curl. The token comes from a variable, so that no line holds a secret. */
export function curlLine(origin: string, request: ApiRequest): string {
  const { method, path, query = {}, headers = {}, body, anonymous } = request;
  const parameters = new URLSearchParams(used(query)).toString();
  const address = origin + path + (parameters && `?${parameters}`);
  const all = [...Object.entries(headers), ...(body === undefined ? [] : [["Content-Type", "application/json"]])];
  const { before, options } = bodyParts(request, "@-");
  return before + [
    "curl --fail-with-body", ...(method === "GET" ? [] : [`-X ${method}`]),
    ...(anonymous ? [] : ['-H "Authorization: Bearer $SERVICE_TOKEN"']),
    ...all.map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`),
    ...options, shellWord(address),
  ].join(" ");
}

/** Returns the line for the client that sends the same request, for operations that the client has no words of its own for. */
export function svcRequest(request: ApiRequest): string {
  const { method, path, query = {}, headers = {} } = request;
  const parameters = new URLSearchParams(used(query)).toString();
  const { before, options } = bodyParts(request, "-");
  const fields = Object.entries(headers).map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`);
  return before + ["svc api", method, shellWord(path + (parameters && `?${parameters}`)), ...fields, ...options].join(" ");
}

/** Returns the line for the client: its words, then the options that have a value. */
export function svcLine(words: readonly string[], options: Record<string, string | number | undefined> = {}): string {
  const values = used(options).flatMap(([name, value]) => [`--${name}`, shellWord(value)]);
  return ["svc", ...words.map(shellWord), ...values].join(" ");
}
