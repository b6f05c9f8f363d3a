import { type RefObject, useEffect, useRef } from "react";

/** True from the sending of a form until the user types again. */
let sent = false;
// Unit tests have no document.
globalThis.document?.addEventListener("submit", () => (sent = true), true);
globalThis.document?.addEventListener("input", () => (sent = false), true);

/**
 * Focuses what a refused form is about, after each sending: on a long form the banner is far above the button, so that nothing
 * would seem to happen. Typing never moves the focus. Returns the reference of the banner.
 */
export function useRefusalFocus(firstField?: string): RefObject<HTMLDivElement | null> {
  const banner = useRef<HTMLDivElement>(null);
  const field = useRef(firstField);
  useEffect(() => {
    field.current = firstField;
    if (sent) show();
  });
  const show = () => {
    if (!banner.current?.isConnected) return;
    sent = false;
    const target = (field.current && document.getElementById(field.current)) || banner.current;
    target.focus({ preventScroll: true });
    target.scrollIntoView({ block: "center" });
  };
  useEffect(() => {
    const form = banner.current?.closest("form");
    // The same errors again draw nothing.
    const again = () => requestAnimationFrame(() => sent && show());
    form?.addEventListener("submit", again);
    return () => form?.removeEventListener("submit", again);
  }, []);
  return banner;
}
