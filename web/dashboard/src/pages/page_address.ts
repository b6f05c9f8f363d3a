/**
 * The first words of addresses that belong to the dashboard itself, such as `/app/account`. A short name is of a-z, 0-9 and -, so
 * an organisation may have the name `account`. Its pages are at `/app/_account/…`, which no short name and no own page can be.
 */
export const OWN_WORDS: ReadonlySet<string> = new Set(["account", "api", "assets", "go", "invitation", "link", "sign-in"]);

/**
 * Returns the path with `_` before its first word, or without it, if that is an own word; any other path is returned unchanged. In
 * the routes each organisation has its short name and each own page the word with `_`; in the address bar it is the other way round.
 */
export function swapOwnWord(path: string): string {
  const [, sign = "", word = "", rest = ""] = /^\/(_?)([^/]*)(.*)$/.exec(path) ?? [];
  if (!OWN_WORDS.has(word)) return path;
  return `/${sign ? "" : "_"}${word}${rest}`;
}

/** Returns the short names of the organisation and project that an address names, or undefined if it belongs to no project. */
export function namedProject(address: string): [organization: string, project: string] | undefined {
  const path = swapOwnWord(address.replace(/^\/app/, ""));
  const [, organization, project] = /^\/([a-z0-9-]+)\/([a-z0-9-]+)(?:\/|$)/.exec(path) ?? [];
  return organization && project ? [organization, project] : undefined;
}

/** Returns the address of a path of the routes, for links that the router does not make. */
export const pageAddress = (path: string): string => `/app${swapOwnWord(path)}`;

const swap = ({ url }: { url: URL }): URL => {
  url.pathname = swapOwnWord(url.pathname);
  return url;
};

/** Translates between addresses and paths of the routes. */
export const addressRewrite = { input: swap, output: swap };
