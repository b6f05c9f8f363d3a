import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { CardTable } from "../../../parts/card_table";
import { copyId } from "../../../parts/copy";
import { State } from "../../../parts/icon";
import { ActionMenu, type MenuEntry } from "../../../parts/menu";
import { hasRole } from "../../../parts/states";
import { Moment, ZoneName } from "../../../parts/time";
import { useProject } from "../../project_context";
import { namesText } from "../../providers/delete_provider";
import type { Incident, PageComponent } from "../page_queries";
import { IMPACTS, incidentState } from "../page_states";
import { DeleteIncident } from "./delete_incident";

interface TableProps {
  caption: string;
  pageId: string;
  rows: readonly Incident[];
  components: readonly Pick<PageComponent, "id" | "name">[];
  ends?: boolean;
  foot?: ReactNode;
}

interface RowProps {
  pageId: string;
  incident: Incident;
  nameOf: (id: string) => string;
  ends: boolean;
  remove: () => void;
}

function IncidentRow({ pageId, incident, nameOf, ends, remove }: RowProps) {
  const { path, project } = useProject();
  const navigate = useNavigate();
  const own = path("status-pages", pageId, "incidents", incident.id);
  const edits = hasRole(project.role, "project_editor");
  const entries: (MenuEntry | false)[] = [
    edits && { id: "post", icon: "edit", word: "Post an update", act: () => void navigate({ to: own }) },
    edits && { id: "facts", icon: "sliders", word: "Edit", act: () => void navigate({ to: `${own}/edit` }) },
    { id: "copy", icon: "copy", word: "Copy id", act: () => copyId(incident.id) },
    hasRole(project.role, "project_admin") && { id: "delete", icon: "trash", word: "Delete", act: remove },
  ];
  return (
    <tr role="row">
      <td className="cell-state" role="cell"><State state={incidentState(incident.status)} /></td>
      <th scope="row" role="rowheader" className="cell-grow">
        <div className="cell-name">
          <Link className="clip" to={own} dir="auto">{incident.name}</Link>
          <span className="cell-sub">{IMPACTS[incident.impact]}{incident.automatic && ", opened automatically"}</span>
        </div>
      </th>
      <td className="cell-list" data-label="Components" role="cell">
        <span className="wrap-any" dir="auto">{namesText(incident.components.map((one) => nameOf(one.id))) || "None"}</span>
      </td>
      <td data-label="Started" role="cell"><Moment value={incident.startedAt} form="minutes" /></td>
      {ends && <td data-label="Resolved" role="cell"><Moment value={incident.resolvedAt} form="minutes" /></td>}
      <td className="cell-actions" role="cell">
        <ActionMenu label={`More for ${incident.name}`} small entries={entries.filter((one): one is MenuEntry => one !== false)} />
      </td>
    </tr>
  );
}

/** Returns how components are called; one that was deleted has no name. */
export function componentNames(components: readonly Pick<PageComponent, "id" | "name">[]): (id: string) => string {
  const names = new Map(components.map((one) => [one.id, one.name]));
  return (id) => names.get(id) ?? "deleted component";
}

/** Incidents with their components and times. `ends`: also when they were resolved. */
export function IncidentTable({ caption, pageId, rows, components, ends = true, foot }: TableProps) {
  const [removed, setRemoved] = useState<Incident>();
  const nameOf = componentNames(components);
  return (
    <>
      <CardTable
        caption={caption} foot={foot}
        heads={[
          ["status", "Status"], ["incident", "Incident"], ["components", "Components"], ["started", <>Started, <ZoneName /></>],
          ...(ends ? [["resolved", <>Resolved, <ZoneName /></>] as const] : []),
        ]}
      >
        {rows.map((one) => (
          <IncidentRow key={one.id} pageId={pageId} incident={one} nameOf={nameOf} ends={ends} remove={() => setRemoved(one)} />
        ))}
      </CardTable>
      {removed && <DeleteIncident pageId={pageId} incident={removed} onClose={() => setRemoved(undefined)} />}
    </>
  );
}
