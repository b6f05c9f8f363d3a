export interface LinkRange {
  start: number;
  end: number;
  href: string;
}

const CANDIDATE = /\bhttps?:\/\/[^\s"'<>`{}|\\^]+/gi;
const CLOSERS: Record<string, string> = { ")": "(", "]": "[" };

/** Returns the address without the punctuation of the sentence around it. */
function trimmed(address: string): string {
  let end = address.length;
  while (end > 0) {
    const last = address[end - 1]!;
    const opener = CLOSERS[last];
    const rest = address.slice(0, end - 1);
    if (opener) {
      const count = (character: string) => address.slice(0, end).split(character).length;
      if (count(last) <= count(opener)) break;
    } else if (!/[.,;:!?*]/.test(last)) break;
    end = rest.length;
  }
  return address.slice(0, end);
}

/** Returns the address of a link if it is http or https, otherwise undefined. */
export function safeLink(address: string): string | undefined {
  try {
    const url = new URL(address);
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the links of a text, in order. */
export function findLinks(text: string): LinkRange[] {
  const links: LinkRange[] = [];
  for (const found of text.matchAll(CANDIDATE)) {
    const address = trimmed(found[0]);
    const href = safeLink(address);
    if (href) links.push({ start: found.index!, end: found.index! + address.length, href });
  }
  return links;
}
