import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { CardTable } from "../../parts/card_table";
import { copyId } from "../../parts/copy";
import { State } from "../../parts/icon";
import { ActionMenu, type MenuEntry } from "../../parts/menu";
import { hasRole } from "../../parts/states";
import { Duration, Moment, NOTHING, ZoneName } from "../../parts/time";
import { useNow } from "../../parts/use_clock";
import { relativeText } from "../../time/format";
import { useProject } from "../project_context";
import { useTags } from "../tags/use_tags";
import { DeleteWindow, EndWindow } from "./window_dialogs";
import type { MaintenanceWindow } from "./window_queries";
import { announcedWords, coverWords, isRecurring, lengthOf, ruleWords, windowState } from "./window_states";

export type WindowAct = "end" | "delete";

interface MenuProps {
  window: MaintenanceWindow;
  small?: boolean;
  /** Acts that have a button of their own are left out. */
  without?: readonly string[];
  ask: (act: WindowAct) => void;
}

/** What can be done with a window, for the role of the reader. */
export function WindowMenu({ window, small, without = [], ask }: MenuProps) {
  const { path, project } = useProject();
  const navigate = useNavigate();
  const changes = hasRole(project.role, "project_editor") && window.state !== "finished";
  const entries: (MenuEntry | false)[] = [
    changes && { id: "edit", icon: "edit", word: "Edit", act: () => void navigate({ to: path("maintenance", window.id, "edit") }) },
    changes && window.state === "active" && { id: "end", icon: "stop", word: "End now", act: () => ask("end") },
    { id: "copy", icon: "copy", word: "Copy id", act: () => copyId(window.id) },
    hasRole(project.role, "project_admin") && { id: "delete", icon: "trash", word: "Delete", act: () => ask("delete") },
  ];
  return (
    <ActionMenu
      label={`More for ${window.name}`} small={small}
      entries={entries.filter((one): one is MenuEntry => one !== false && !without.includes(one.id))}
    />
  );
}

/** The tags of a window, by name. A window of single monitors has none. */
export function WindowTags({ ids }: { ids: readonly string[] }) {
  const tags = useTags();
  const nameOf = (id: string) => tags.data?.find((one) => one.id === id)?.name ?? (tags.data ? "deleted tag" : "…");
  return <>{ids.map((id) => <span key={id}><span className="tag">{nameOf(id)}</span>{" "}</span>)}</>;
}

/** How a moment lies to now, such as `in 1 h`. */
function Distance({ value }: { value: string }) {
  return <span className="cell-sub nowrap">{relativeText(new Date(value), useNow())}</span>;
}

function At({ value }: { value: string | null | undefined }) {
  if (!value) return <span className="faint">{NOTHING}</span>;
  return <div className="cell-name"><Moment value={value} form="minutes" /><Distance value={value} /></div>;
}

/** The schedule in words, and its fields with their zone. */
export function RuleCell({ window }: { window: MaintenanceWindow }) {
  const words = ruleWords(window);
  return (
    <div className="cell-name">
      <span>{words ?? <><code className="nowrap">{window.cron}</code> for <Duration milliseconds={lengthOf(window)} /></>}</span>
      <span className="cell-sub">{words && <><code>{window.cron}</code>, </>}{window.timeZone ?? "UTC"}</span>
    </div>
  );
}

function FinishedTime({ window }: { window: MaintenanceWindow }) {
  return isRecurring(window) ? <RuleCell window={window} /> : <Moment value={window.startsAt} form="minutes" />;
}

export type TableKind = "active" | "scheduled" | "recurring" | "finished";

type Column = readonly [string, ReactNode, (window: MaintenanceWindow) => ReactNode];

const COLUMNS: Record<TableKind, readonly [Column, Column]> = {
  active: [
    ["Started", <>Started, <ZoneName /></>, (one) => <Moment value={one.current?.startsAt} form="minutes" />],
    ["Ends", <>Ends, <ZoneName /></>, (one) => <At value={one.current?.endsAt} />],
  ],
  scheduled: [
    ["Starts", <>Starts, <ZoneName /></>, (one) => <At value={one.next?.startsAt ?? one.startsAt} />],
    ["Duration", "Duration", (one) => <Duration milliseconds={lengthOf(one)} />],
  ],
  recurring: [
    ["Schedule", "Schedule", (one) => <RuleCell window={one} />],
    ["Next start", <>Next start, <ZoneName /></>, (one) => <At value={one.next?.startsAt} />],
  ],
  finished: [
    ["Time", <>Started, <ZoneName /></>, (one) => <FinishedTime window={one} />],
    ["Changed", <>Changed, <ZoneName /></>, (one) => <Moment value={one.updatedAt} form="minutes" />],
  ],
};

interface RowProps {
  window: MaintenanceWindow;
  kind: TableKind;
  ask: (act: WindowAct) => void;
}

function WindowRow({ window, kind, ask }: RowProps) {
  const { path, project } = useProject();
  const ends = kind === "active" && hasRole(project.role, "project_editor");
  return (
    <tr role="row">
      <td className="cell-state" role="cell"><State state={windowState(window.state)} /></td>
      <th scope="row" role="rowheader" className="cell-grow">
        <div className="cell-name">
          <Link className="clip" to={path("maintenance", window.id)} dir="auto">{window.name}</Link>
          {window.description && <span className="cell-sub clip" dir="auto">{window.description}</span>}
          {window.statusPageIds.length > 0 && <span className="cell-sub">{announcedWords(window.statusPageIds.length)}</span>}
        </div>
      </th>
      <td data-label="Monitors" role="cell">
        <span>{window.tagIds && <WindowTags ids={window.tagIds} />}<span className="nowrap">{coverWords(window)}</span></span>
      </td>
      {COLUMNS[kind].map(([word, , cell]) => <td data-label={word} role="cell" key={word}>{cell(window)}</td>)}
      <td className="cell-actions" role="cell">
        {ends && (
          <>
            <button
              className="btn btn-s" type="button" aria-haspopup="dialog" aria-label={`End now: ${window.name}`} onClick={() => ask("end")}
            >
              End now
            </button>{" "}
          </>
        )}
        <WindowMenu window={window} small ask={ask} without={["end"]} />
      </td>
    </tr>
  );
}

interface TableProps {
  caption: string;
  kind: TableKind;
  rows: readonly MaintenanceWindow[];
  foot?: ReactNode;
}

/** Windows with their times, and what can be done with them. */
export function WindowTable({ caption, kind, rows, foot }: TableProps) {
  const [asked, setAsked] = useState<{ act: WindowAct; window: MaintenanceWindow }>();
  const close = () => setAsked(undefined);
  return (
    <>
      <CardTable
        caption={caption} foot={foot}
        heads={[
          ["state", "State"], ["window", "Window"], ["monitors", "Monitors"],
          ...COLUMNS[kind].map(([word, head]) => [word, head] as const),
        ]}
      >
        {rows.map((one) => <WindowRow key={one.id} window={one} kind={kind} ask={(act) => setAsked({ act, window: one })} />)}
      </CardTable>
      {asked?.act === "end" && <EndWindow window={asked.window} onClose={close} />}
      {asked?.act === "delete" && <DeleteWindow window={asked.window} onClose={close} />}
    </>
  );
}
