import { type RefObject, useEffect, useRef } from "react";

/** True from the sending of a form until its refusal has taken the focus, or the user does something else. */
let sent = false;
// Unit tests have no document. The click on a button that sends a form comes before its submit event.
for (const event of ["click", "input"]) globalThis.document?.addEventListener(event, () => (sent = false), true);
globalThis.document?.addEventListener("submit", () => (sent = true), true);

/** Announces an act that sends a form without a submit event, such as a test. */
export const expectRefusal = (): void => void (sent = true);

/** Moves the focus to a field. A field in closed details could not take it, so they open. */
export function focusField(field: HTMLElement | null): void {
  for (let at = field?.closest("details"); at; at = at.parentElement?.closest("details")) at.open = true;
  field?.focus();
}

/** Returns the field that stands first on the page. */
function firstOf(ids: readonly string[]): HTMLElement | null {
  const fields = ids.map((id) => document.getElementById(id)).filter((one) => one !== null);
  return fields.reduce<HTMLElement | null>(
    (first, one) => (first && first.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING ? first : one), null,
  );
}

function show(target: HTMLElement | null): void {
  if (!sent || !target) return;
  sent = false;
  focusField(target);
  // The title of a tall banner would be past the upper edge.
  target.scrollIntoView({ block: target.offsetHeight > window.innerHeight / 2 ? "start" : "center" });
}

/**
 * Focuses the first wrong field of a refused form, or the banner of a refusal that is about no field. On a long form the banner is
 * far above the button, so that nothing would seem to happen. Typing never moves the focus: an answer that comes after the next
 * input or click leaves it. Returns the reference of the banner.
 */
export function useRefusalFocus(refusal: unknown, ids: readonly string[] = []): RefObject<HTMLDivElement | null> {
  const banner = useRef<HTMLDivElement>(null);
  const fields = useRef(ids);
  useEffect(() => void (fields.current = ids));
  useEffect(() => show(firstOf(ids) ?? banner.current), [refusal]);
  useEffect(() => {
    // The same errors again draw nothing.
    const again = ({ target: form }: Event) => requestAnimationFrame(() => {
      const field = firstOf(fields.current);
      if (field && form instanceof Node && form.contains(field)) show(field);
    });
    document.addEventListener("submit", again);
    return () => {
      fields.current = [];
      document.removeEventListener("submit", again);
    };
  }, []);
  return banner;
}
