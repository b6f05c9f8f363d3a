const FOCUSABLE = 'a[href], button, input, select, textarea, [tabindex="0"]';

let last: HTMLElement | undefined;
/** The parts of the page around the last focused element, from the inside. */
let around: HTMLElement[] = [];

function remember(element: EventTarget | null): void {
  last = element instanceof HTMLElement ? element : undefined;
  around = [];
  for (let part = last?.parentElement; part; part = part.parentElement) around.push(part);
}

const isLost = (): boolean => document.activeElement === document.body;

/** Returns true if the element was removed, or is hidden while the next page loads. */
const isGone = (element: HTMLElement): boolean => !element.isConnected || element.getClientRects().length === 0;

/** Focuses something in the nearest part that is left, or the content of the page. */
function focusNext(): void {
  const main = document.getElementById("main");
  const part = around.find((one) => !isGone(one));
  if (part && part !== main && main?.contains(part)) part.querySelector<HTMLElement>(FOCUSABLE)?.focus();
  // An element that a narrow page hides takes no focus.
  if (isLost()) main?.focus({ preventScroll: true });
}

function restore(): void {
  if (!isLost()) return;
  // An element that is still seen has lost the focus by a click next to it.
  if (last && isGone(last)) focusNext();
  else remember(null);
}

/** Waits for two frames, because a dialog that closes gives the focus back in the next one. */
const restoreSoon = () => requestAnimationFrame(() => requestAnimationFrame(restore));

/**
 * Gives the focus a place when the focused element goes away by a deletion or a change of the page. Otherwise it would be lost:
 * the next Tab would start at the top.
 */
export function keepFocus(): void {
  document.addEventListener("focusin", (event) => remember(event.target));
  document.addEventListener("focusout", (event) => event.relatedTarget === null && restoreSoon());
  // Some browsers send no event for an element that is removed.
  new MutationObserver(() => last && !last.isConnected && isLost() && restoreSoon())
    .observe(document.body, { childList: true, subtree: true });
}
