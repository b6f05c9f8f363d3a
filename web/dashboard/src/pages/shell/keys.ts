import { useNavigate } from "@tanstack/react-router";
import { type RefObject, useEffect, useRef } from "react";
import type { OwnProject } from "../../api/account";
import { GROUPS } from "./sidebar";
import { textAfter } from "./typed_text";

const SWITCH = "svc_single_keys";

/** True unless the user has switched single keys off (WCAG 2.1.4). */
export const keysAreOn = (): boolean => localStorage.getItem(SWITCH) !== "off";

export const setKeys = (on: boolean): void => (on ? localStorage.removeItem(SWITCH) : localStorage.setItem(SWITCH, "off"));

const OVERLAYS = "[role=menu], [role=dialog], [role=alertdialog]";

/** True while a key belongs to a dialog or a menu. */
const isOver = (target: EventTarget | null): boolean => target instanceof HTMLElement && target.closest(OVERLAYS) !== null;

/** True while a key belongs to a field, a dialog or a menu. */
export function isTaken(target: EventTarget | null): boolean {
  const element = target instanceof HTMLElement ? target : undefined;
  return Boolean(element?.isContentEditable || element?.closest("input, textarea, select") || isOver(target));
}

interface KeyOptions {
  project: OwnProject | undefined;
  /** Takes what is typed while a part opens that has not been loaded yet. */
  typed: RefObject<string> | undefined;
  open: (part: "palette" | "keys") => void;
  close: () => void;
  toggleUtc: () => void;
}

const PLACES = new Map(GROUPS.flatMap((group) => group.places).map((place) => [place.key, place.to]));
const CHORD = 1500;

function moveRow(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>("main tbody th a")];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? (step === 1 ? 0 : links.length - 1) : at + step;
  links[Math.max(0, Math.min(next, links.length - 1))]?.focus();
}

/** Ctrl+K always opens the palette; single keys act outside of fields only, and can be switched off. */
export function useKeys({ project, typed, open, close, toggleUtc }: KeyOptions): void {
  const navigate = useNavigate();
  const chord = useRef(0);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        return open("palette");
      }
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.isComposing) return;
      if (typed && !isOver(event.target)) {
        // A field of the page may still have the focus, and a space would press its button.
        const text = textAfter(typed.current, event.key);
        if (event.key === "Escape") close();
        if (text === undefined) return;
        event.preventDefault();
        typed.current = text;
        return;
      }
      if (isTaken(event.target) || !keysAreOn()) return;
      const follows = Date.now() - chord.current < CHORD;
      chord.current = 0;
      const place = follows ? PLACES.get(event.key) : undefined;
      if (place && project) {
        event.preventDefault();
        return void navigate({ to: place, params: { org: project.organization.slug, project: project.slug } });
      }
      if (event.key === "g") chord.current = Date.now();
      else if (event.key === "?") open("keys");
      else if (event.key === "u") toggleUtc();
      else if (event.key === "j") moveRow(1);
      else if (event.key === "k") moveRow(-1);
      else if (event.key === "/") {
        const field = document.querySelector<HTMLInputElement>('main input[type="search"]');
        if (!field) return;
        event.preventDefault();
        field.focus();
      }
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [project, typed, open, close, toggleUtc, navigate]);
}
