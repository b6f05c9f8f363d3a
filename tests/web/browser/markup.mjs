// Faults of a page's markup as parse5 finds them, a parser that follows the HTML standard.

import { parse } from "parse5";

const VOID = new Set(["base", "br", "hr", "img", "input", "link", "meta", "wbr"]);

/** Whether an element has no end tag by its kind, or as a part of a picture that ends with `/>`. */
function hasNoEnd(node, html) {
  const drawn = node.namespaceURI === "http://www.w3.org/2000/svg";
  return drawn ? html.slice(0, node.sourceCodeLocation.startTag.endOffset).endsWith("/>") : VOID.has(node.tagName);
}

/** What the page did not write itself: parse errors, and elements that the parser had to open or close. An empty list is good. */
export function markupFaults(html) {
  const faults = [];
  const document = parse(html, {
    sourceCodeLocationInfo: true,
    onParseError: ({ code, startLine, startOffset }) => {
      faults.push(`${code} at line ${startLine}: ${html.slice(startOffset, startOffset + 60)}`);
    },
  });
  const look = (node) => {
    const place = node.sourceCodeLocation;
    if (node.tagName && !place?.startTag) faults.push(`<${node.tagName}> is implied`);
    else if (node.tagName && !place.endTag && !hasNoEnd(node, html))
      faults.push(`<${node.tagName}> at line ${place.startLine} is not closed`);
    for (const child of node.childNodes ?? []) look(child);
  };
  for (const child of document.childNodes) look(child);
  return faults;
}
