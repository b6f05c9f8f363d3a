import type { ReactNode } from "react";
import type { IconName, SignName } from "./sprite";
import type { StateLook } from "./states";

export function Icon({ name, small }: { name: IconName; small?: boolean }) {
  return (
    <svg className={small ? "icon icon-s" : "icon"} aria-hidden="true">
      <use href={`#i-${name}`} />
    </svg>
  );
}

/** A sign without a word needs a label. */
export function Sign({ name, look, label }: { name: SignName; look: string; label?: string }) {
  const role = label ? { role: "img", "aria-label": label } : { "aria-hidden": true };
  return (
    <svg className={`sign ${look}`} {...role}>
      <use href={`#s-${name}`} />
    </svg>
  );
}

/** A state in tables and text: sign and word. */
export function State({ state }: { state: StateLook }) {
  return (
    <span className={`state ${state.look}`}>
      <Sign name={state.sign} look={state.look} />
      {state.word}
    </span>
  );
}

/** A state next to the heading of a page. */
export function Badge({ state, more }: { state: StateLook; more?: ReactNode }) {
  return (
    <span className={`badge ${state.look}`}>
      <Sign name={state.sign} look={state.look} />
      {state.word}
      {more && <>, {more}</>}
    </span>
  );
}

export function Brand() {
  return (
    <svg viewBox="0 0 22 22" fill="none" aria-hidden="true">
      <rect x="1" y="1" width="20" height="20" rx="6" fill="currentColor" />
      <path d="M5.5 7h5.5M8 11h6.5M12.5 15h4" stroke="var(--ink-inverse)" strokeWidth="2.25" strokeLinecap="round" />
    </svg>
  );
}
