import type { RefObject } from "react";
import { flushSync } from "react-dom";
import { Menu, MenuItem, Popover } from "react-aria-components";
import { Icon } from "./icon";
import type { MenuEntry, MenuStart } from "./menu";

interface MenuListProps {
  label: string;
  entries: readonly MenuEntry[];
  /** The button that the menu belongs to; the focus returns there. */
  button: RefObject<HTMLButtonElement | null>;
  start: MenuStart;
  onClose: () => void;
}

/** The entries of an open menu, below its button. The component that shows it removes it in `onClose`. */
export function MenuList({ label, entries, button, start, onClose }: MenuListProps) {
  // A dialog gives the focus back to what had it when it opened. That is the button, because the entry is gone by then.
  const choose = (entry: MenuEntry | undefined) => {
    if (!entry?.act) return;
    flushSync(onClose);
    button.current?.focus();
    entry.act();
  };
  return (
    <Popover
      className="popover" placement="bottom end" offset={4} trigger="MenuTrigger" triggerRef={button} aria-label={label}
      isOpen onOpenChange={(open) => !open && onClose()}
    >
      <Menu
        className="menu" aria-label={label} autoFocus={start === "menu" ? true : start} onClose={onClose}
        onAction={(key) => choose(entries.find((one) => one.id === key))}
      >
        {entries.map((one) => (
          <MenuItem className="menu-item" id={one.id} key={one.id} textValue={one.word} href={one.href}>
            <Icon name={one.icon} />
            {one.word}
          </MenuItem>
        ))}
      </Menu>
    </Popover>
  );
}
