import { keepFocus } from "./focus_keeper";

interface Place {
  top: number;
  /** Address of the focused link. */
  focus?: string;
}

const MOST_PLACES = 100;
const LEFT = "svc_left_place";
// A page whose data is not in memory needs some time until it is as long as it was.
const PATIENCE = 1500;

interface History {
  subscribe: (listener: (change: { location: { state: unknown }; action: { type: string } }) => void) => () => void;
  location: { state: unknown };
}

const keyOf = (state: unknown): string => String((state as { __TSR_key?: string; key?: string } | null)?.__TSR_key ?? "");

/** Returns the place where a reload left this entry of the history. */
function takeLeft(key: string): Place | undefined {
  const [left, top = 0, focus] = JSON.parse(sessionStorage.getItem(LEFT) ?? "[]") as [string?, number?, string?];
  sessionStorage.removeItem(LEFT);
  return key && left === key ? { top, focus: focus ?? undefined } : undefined;
}

/**
 * Restores scroll and focus on Back, Forward and reload, and starts other pages at the top with the focus in their content. The
 * router's own restoration renders a script element, which Trusted Types refuse.
 */
export function rememberScroll(history: History): void {
  const places = new Map<string, Place>();
  let current = keyOf(history.location.state);
  let top = 0;
  let focus: string | undefined;
  window.history.scrollRestoration = "manual";
  const left = takeLeft(current);
  if (left) restore(left, current, () => current);
  addEventListener("pagehide", () => sessionStorage.setItem(LEFT, JSON.stringify([current, top, focus])));
  keepFocus();
  addEventListener("scroll", () => (top = scrollY), { passive: true });
  document.addEventListener("focusin", (event) => {
    focus = event.target instanceof HTMLAnchorElement ? (event.target.getAttribute("href") ?? undefined) : undefined;
  });
  history.subscribe(({ location: next, action }) => {
    places.set(current, { top, focus });
    if (places.size > MOST_PLACES) places.delete(places.keys().next().value!);
    current = keyOf(next.state);
    if (action.type === "REPLACE") return;
    const place = action.type === "PUSH" ? undefined : places.get(current);
    if (place) restore(place, current, () => current);
    else if (!location.hash) requestAnimationFrame(() => scrollTo({ top: 0 }));
  });
}

function restore(place: Place, key: string, current: () => string): void {
  const end = performance.now() + PATIENCE;
  const attempt = () => {
    if (current() !== key) return;
    const reachable = document.documentElement.scrollHeight - innerHeight >= place.top;
    const link = place.focus ? document.querySelector<HTMLElement>(`main a[href="${CSS.escape(place.focus)}"]`) : null;
    if ((reachable && (link || !place.focus)) || performance.now() > end) {
      link?.focus({ preventScroll: true });
      scrollTo({ top: place.top });
    } else requestAnimationFrame(attempt);
  };
  requestAnimationFrame(attempt);
}
