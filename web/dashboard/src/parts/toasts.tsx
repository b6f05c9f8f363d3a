import { useRef, useSyncExternalStore } from "react";
import { Icon, Sign } from "./icon";
import type { SignName } from "./sprite";

interface Toast {
  id: number;
  text: string;
  sign: SignName;
  look: string;
}

const LIFE = 6000;
let toasts: readonly Toast[] = [];
let number = 0;
const listeners = new Set<() => void>();
const timers = new Map<number, ReturnType<typeof setTimeout>>();

function set(next: readonly Toast[]) {
  toasts = next;
  for (const listener of listeners) listener();
}

function close(id: number) {
  clearTimeout(timers.get(id));
  timers.delete(id);
  set(toasts.filter((one) => one.id !== id));
}

const expire = (id: number) => timers.set(id, setTimeout(() => close(id), LIFE));

/** Confirms the user's own act for six seconds. An error also needs a place on the page. */
export function toast({ text, sign = "passed", look = "s-passed" }: { text: string; sign?: SignName; look?: string }): void {
  const id = ++number;
  set([...toasts.slice(-3), { id, text, sign, look }]);
  expire(id);
}

/** Says that the user's act failed, where the page has no form. */
export const warn = (text: string): void => toast({ text, sign: "failed", look: "s-failed" });

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  const held = useRef(false);
  const hold = () => {
    held.current = true;
    for (const timer of timers.values()) clearTimeout(timer);
  };
  const release = () => {
    if (!held.current) return;
    held.current = false;
    for (const one of toasts) expire(one.id);
  };
  return (
    <div className="toasts" role="status" onPointerEnter={hold} onPointerLeave={release} onFocus={hold} onBlur={release}>
      {shown.map((one) => (
        <div className="toast" key={one.id}>
          <Sign name={one.sign} look={one.look} />
          <span>{one.text}</span>
          <button className="btn btn-s btn-quiet btn-icon" type="button" aria-label="Close" onClick={() => close(one.id)}>
            <Icon name="x" small />
          </button>
        </div>
      ))}
    </div>
  );
}
