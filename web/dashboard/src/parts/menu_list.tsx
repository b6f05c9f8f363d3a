import type { RefObject } from "react";
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

/**
 * Waits for two frames, because a menu that closes gives the focus back to its button in the next one. A dialog that an act opens
 * must find the focus there, so that it can return it.
 */
const afterClose = (act: () => void) => requestAnimationFrame(() => requestAnimationFrame(act));

/** The entries of an open menu, below its button. The component that shows it removes it in `onClose`. */
export function MenuList({ label, entries, button, start, onClose }: MenuListProps) {
  return (
    <Popover
      className="popover" placement="bottom end" offset={4} trigger="MenuTrigger" triggerRef={button} aria-label={label}
      isOpen onOpenChange={(open) => !open && onClose()}
    >
      <Menu
        className="menu" aria-label={label} autoFocus={start === "menu" ? true : start} onClose={onClose}
        onAction={(key) => {
          const act = entries.find((one) => one.id === key)?.act;
          if (act) afterClose(act);
        }}
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
