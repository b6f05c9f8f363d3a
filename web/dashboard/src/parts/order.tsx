import { type DragEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { Icon } from "./icon";
import type { MenuEntry } from "./menu";

/** A list whose order the user changes. `noun` is what one of its things is called. */
interface OrderedList {
  ids: readonly string[];
  nameOf: (id: string) => string;
  noun: string;
  setIds: (ids: string[]) => void;
  dragged: number | undefined;
  setDragged: (at: number | undefined) => void;
}

/** Moves the entry at one place to another one. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const next = list.filter((_, at) => at !== from);
  const entry = list[from];
  if (entry === undefined) return [...list];
  next.splice(Math.max(0, Math.min(to, next.length)), 0, entry);
  return next;
}

/** Moves the things of a list by drag and by keys, and says where one of them is. `say` tells other changes of the list. */
export function useMoves({ ids, nameOf, noun, setIds, dragged, setDragged }: OrderedList) {
  const [said, say] = useState("");
  const focus = useRef<string>(undefined);
  useEffect(() => {
    if (!focus.current) return;
    document.querySelector<HTMLElement>(`[data-handle="${CSS.escape(focus.current)}"]`)?.focus();
    focus.current = undefined;
  });
  const move = (from: number, to: number) => {
    const place = Math.max(0, Math.min(to, ids.length - 1));
    const id = ids[from];
    if (!id || place === from) return;
    focus.current = id;
    say(`${nameOf(id)} is ${noun} ${place + 1} of ${ids.length} now.`);
    setIds(moved(ids, from, place));
  };
  const press = (event: KeyboardEvent, at: number) => {
    const places: Record<string, number> = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: ids.length - 1 };
    const to = places[event.key];
    if (to === undefined) return;
    event.preventDefault();
    move(at, to);
  };
  const over = (event: DragEvent, at: number) => {
    if (dragged === undefined) return;
    event.preventDefault();
    if (at === dragged) return;
    setIds(moved(ids, dragged, at));
    setDragged(at);
  };
  /** The attributes of the row at a place, onto which another one can be dropped. */
  const row = (at: number) => ({
    "data-dragged": dragged === at || undefined,
    onDragOver: (event: DragEvent) => over(event, at),
    onDrop: (event: DragEvent) => (event.preventDefault(), setDragged(undefined)),
  });
  return { ids, nameOf, noun, setDragged, said, say, move, press, row };
}

export type Moves = ReturnType<typeof useMoves>;

/** The handle that moves a row by drag and by the arrow keys. */
export function OrderHandle({ at, moves }: { at: number; moves: Moves }) {
  const id = moves.ids[at]!;
  const name = moves.nameOf(id);
  return (
    <button
      className="btn btn-s btn-quiet btn-icon order-handle" type="button" draggable data-handle={id}
      aria-label={`Move ${name}, ${moves.noun} ${at + 1} of ${moves.ids.length}`} aria-description="The arrow keys move it."
      onKeyDown={(event) => moves.press(event, at)} onDragEnd={() => moves.setDragged(undefined)}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = "move";
        event.dataTransfer.setData("text/plain", name);
        moves.setDragged(at);
      }}
    >
      <Icon name="updown" />
    </button>
  );
}

/** The entries of a row's menu that move it. */
export function moveEntries(at: number, { ids, move }: Moves): MenuEntry[] {
  return [
    ...(at > 0 ? [
      { id: "up", icon: "arrow", word: "Move up", act: () => move(at, at - 1) } as const,
      { id: "first", icon: "arrow", word: "Move to the start", act: () => move(at, 0) } as const,
    ] : []),
    ...(at < ids.length - 1 ? [
      { id: "down", icon: "arrow-down", word: "Move down", act: () => move(at, at + 1) } as const,
      { id: "last", icon: "arrow-down", word: "Move to the end", act: () => move(at, ids.length - 1) } as const,
    ] : []),
  ];
}
