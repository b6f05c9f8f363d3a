import type { ReactNode } from "react";
import { Button, Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { Icon } from "./icon";
import type { IconName } from "./sprite";

export interface MenuEntry {
  id: string;
  icon: IconName;
  word: string;
  act?: () => void;
  href?: string;
}

interface MenuProps {
  label: string;
  entries: readonly MenuEntry[];
  /** The content of the button; without it the button shows three dots. */
  children?: ReactNode;
  small?: boolean;
  className?: string;
}

/** A button that opens a menu. */
export function ActionMenu({ label, entries, children, small, className }: MenuProps) {
  const look = className ?? `btn${children ? "" : " btn-icon"}${small ? " btn-s btn-quiet" : ""}`;
  return (
    <MenuTrigger>
      <Button className={look} aria-label={children ? undefined : label}>
        {children ?? <Icon name="more" />}
      </Button>
      <Popover className="popover" placement="bottom end" offset={4}>
        <Menu className="menu" aria-label={label} onAction={(key) => entries.find((one) => one.id === key)?.act?.()}>
          {entries.map((one) => (
            <MenuItem className="menu-item" id={one.id} key={one.id} textValue={one.word} href={one.href}>
              <Icon name={one.icon} />
              {one.word}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
