import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useDeferredValue, useEffect, useRef, useState } from "react";
import { Dialog, Modal, ModalOverlay } from "react-aria-components";
import type { OwnProject } from "../../api/account";
import { Icon } from "../../parts/icon";
import { pageAddress } from "../page_address";
import type { Entry } from "./palette_entries";
import { usePalette } from "./palette_search";

/** Finds pages, projects, and jobs, tests, monitors, windows and providers of the project by name, and things and runs by a pasted id. */
export default function Palette(props: { project?: OwnProject; projectsOnly: boolean; start: string; onClose: () => void }) {
  const { project, projectsOnly, start, onClose } = props;
  const navigate = useNavigate();
  const [text, setText] = useState(start);
  const [selected, setSelected] = useState(0);
  const [isEntered, setEntered] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const words = useDeferredValue(text.trim());
  const { entries, searching, failed } = usePalette(project, projectsOnly, words);
  const current = Math.min(selected, entries.length - 1);
  const label = projectsOnly ? "Switch organisation or project" : "Search or jump to";
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [current]);
  const choose = (entry: Entry | undefined, otherTab = false) => {
    if (!entry) return;
    if (otherTab) return void window.open(pageAddress(entry.to), "_blank", "noopener");
    onClose();
    void navigate({ to: entry.to });
  };
  // Enter may come before the entries of the words that were typed.
  const isReady = words === text.trim() && (entries.length > 0 || !searching);
  useEffect(() => {
    if (!isEntered || !isReady) return;
    setEntered(false);
    choose(entries[current]);
  });
  const press = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step) {
      event.preventDefault();
      setSelected((current + step + entries.length) % Math.max(entries.length, 1));
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (isReady) choose(entries[current], true);
    } else if (event.key === "Enter") setEntered(true);
  };
  const groups = [...new Set(entries.map((entry) => entry.group))];
  return (
    <ModalOverlay className="veil" isOpen isDismissable onOpenChange={(open) => !open && onClose()}>
      <Modal className="palette">
        <Dialog aria-label={label}>
          <div className="palette-input">
            <Icon name="search" />
            <input
              type="text" role="combobox" aria-expanded="true" aria-controls="palette-list" aria-autocomplete="list" autoFocus
              aria-activedescendant={entries.length ? `palette-${current}` : undefined} aria-label={label} placeholder={label}
              value={text} maxLength={255} onKeyDown={press}
              onChange={(event) => {
                setText(event.target.value);
                setSelected(0);
                setEntered(false);
              }}
            />
            <kbd>Esc</kbd>
          </div>
          <div className="menu" id="palette-list" role="listbox" aria-label="Results" ref={list}>
            {groups.map((group) => (
              <div role="group" aria-label={group} key={group}>
                <p className="menu-head" aria-hidden="true">{group}</p>
                {entries.map((entry, at) => entry.group === group && (
                  <div
                    className="menu-item" role="option" id={`palette-${at}`} aria-selected={at === current} key={`${group} ${entry.id}`}
                    onPointerMove={() => setSelected(at)} onClick={(event) => choose(entry, event.ctrlKey || event.metaKey)}
                    onAuxClick={(event) => event.button === 1 && choose(entry, true)}
                  >
                    <Icon name={entry.icon} />
                    <span className="clip">{entry.word}</span>
                    {entry.note && <span className="faint">{entry.note}</span>}
                  </div>
                ))}
              </div>
            ))}
            {entries.length === 0 && (
              <p className="menu-head" role="status">{searching ? "Searching" : failed ? "" : "Nothing here has this name or id."}</p>
            )}
            {failed && !searching && <p className="menu-head" role="status">The search has failed in part. Type again to repeat it.</p>}
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
