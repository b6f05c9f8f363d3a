import { type KeyboardEvent, type ReactNode, type RefObject, useRef, useState } from "react";
import { Icon } from "./icon";
import { prepareLater, useLater } from "./later";
import type { IconName } from "./sprite";

export interface MenuEntry {
  id: string;
  icon: IconName;
  word: string;
  act?: () => void;
  href?: string;
}

/** What gets the focus when a menu opens: an entry, or the menu itself after a click. */
export type MenuStart = "first" | "last" | "menu";

interface MenuProps {
  label: string;
  entries: readonly MenuEntry[];
  /** The content of the button; without it the button shows three dots. */
  children?: ReactNode;
  small?: boolean;
  className?: string;
}

interface OpenMenuProps {
  label: string;
  entries: readonly MenuEntry[];
  button: RefObject<HTMLButtonElement | null>;
  start: MenuStart;
  onClose: () => void;
}

function OpenMenu(props: OpenMenuProps) {
  const later = useLater(props.onClose);
  return later ? <later.MenuList {...props} /> : null;
}

/** A button that opens a menu. The button itself is plain, because a list shows one in each row. */
export function ActionMenu({ label, entries, children, small, className }: MenuProps) {
  const look = className ?? `btn${children ? "" : " btn-icon"}${small ? " btn-s btn-quiet" : ""}`;
  const button = useRef<HTMLButtonElement>(null);
  const [start, setStart] = useState<MenuStart>();
  const open = (where: MenuStart) => {
    // Safari gives the focus to no button that is clicked, and it returns to the button when the menu closes.
    button.current?.focus();
    setStart(where);
  };
  // React Aria takes a click by Enter or Space for one of a screen reader, and then focuses no entry.
  const press = (event: KeyboardEvent) => {
    const where = ({ ArrowDown: "first", ArrowUp: "last", Enter: "first", " ": "first" } as const)[event.key];
    if (!where) return;
    event.preventDefault();
    open(where);
  };
  return (
    <>
      <button
        className={look} type="button" ref={button} aria-haspopup="menu" aria-expanded={start !== undefined}
        aria-label={children ? undefined : label} onPointerEnter={prepareLater} onFocus={prepareLater}
        onClick={(event) => open(event.detail === 0 ? "first" : "menu")} onKeyDown={press}
      >
        {children ?? <Icon name="more" />}
      </button>
      {start && <OpenMenu label={label} entries={entries} button={button} start={start} onClose={() => setStart(undefined)} />}
    </>
  );
}
