import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { WHOLE, take } from "../../../api/services";
import { CardTable } from "../../../parts/card_table";
import { copyId } from "../../../parts/copy";
import { State } from "../../../parts/icon";
import { ActionMenu, type MenuEntry } from "../../../parts/menu";
import { type Moves, OrderHandle, moveEntries, useMoves } from "../../../parts/order";
import { hasRole } from "../../../parts/states";
import { Moment } from "../../../parts/time";
import { toast, warn } from "../../../parts/toasts";
import { useProject } from "../../project_context";
import { type PageComponent, type StatusPage, readComponents } from "../page_queries";
import { AGGREGATIONS, componentState, monitorsWords } from "../page_states";
import { usePagesChanged } from "../use_page_acts";
import { inOrder, newPositions, samePlaces } from "./component_order";
import { DeleteComponent } from "./delete_component";

/** Milliseconds without a move before the new order is saved. */
const SETTLED = 800;

/** The order that is shown, and saved when nobody has moved anything for a moment. */
function useOrder(page: StatusPage, components: readonly PageComponent[]) {
  const { api } = useProject();
  const changed = usePagesChanged();
  const [own, setOwn] = useState<readonly string[]>();
  const [dragged, setDragged] = useState<number>();
  const save = useMutation({
    // A save that follows starts when this one has ended.
    scope: { id: `order of ${page.id}` },
    mutationFn: async (ids: readonly string[]) => {
      // Others may have changed the positions since they were read.
      const stored = await readComponents(api, page.id, WHOLE);
      // One after the other: each change raises the version of the page.
      for (const { id, position } of newPositions(inOrder(stored, ids))) {
        await take(api.PATCH("/api/status-pages/{id}/components/{componentId}", {
          params: { path: { id: page.id, componentId: id } }, body: { position },
        }));
      }
    },
    onSuccess: () => toast({ text: "The order was saved." }),
    onError: (error) => warn(`The order was not saved. ${error.message}`),
    onSettled: async (_, __, ids) => {
      await changed();
      // A move during the save stays, and is saved next.
      setOwn((now) => (now === ids ? undefined : now));
    },
  });
  const { mutate, isPending, variables } = save;
  const order = own ? inOrder(components, own) : components;
  const unsaved = useRef<readonly string[]>(undefined);
  useEffect(() => {
    const isSaved = samePlaces(order, components) || (isPending && own === variables);
    unsaved.current = isSaved ? undefined : own;
    if (!own || isPending || dragged !== undefined) return;
    if (samePlaces(order, components)) return setOwn(undefined);
    const timer = setTimeout(() => mutate(own), SETTLED);
    return () => clearTimeout(timer);
  }, [own, order, components, mutate, isPending, variables, dragged]);
  // A reader who leaves before that time loses no move.
  useEffect(() => () => void (unsaved.current && mutate(unsaved.current)), [mutate]);
  return { order, setOrder: setOwn, dragged, setDragged };
}

interface RowProps {
  page: StatusPage;
  component: PageComponent;
  at: number;
  moves: Moves;
  remove: () => void;
}

function ComponentRow({ page, component, at, moves, remove }: RowProps) {
  const { path, project } = useProject();
  const navigate = useNavigate();
  const edits = hasRole(project.role, "project_editor");
  const own = path("status-pages", page.id, "components", component.id);
  const entries: (MenuEntry | false)[] = [
    edits && { id: "edit", icon: "edit", word: "Edit", act: () => void navigate({ to: own }) },
    ...(edits ? moveEntries(at, moves) : []),
    { id: "copy", icon: "copy", word: "Copy id", act: () => copyId(component.id) },
    edits && { id: "delete", icon: "trash", word: "Delete", act: remove },
  ];
  return (
    <tr role="row" {...moves.row(at)}>
      <td className="cell-state" role="cell"><State state={componentState(component.status)} /></td>
      <th scope="row" role="rowheader" className="cell-grow">
        <div className="cell-name">
          {edits ? <Link className="clip" to={own} dir="auto">{component.name}</Link> : <bdi className="clip medium">{component.name}</bdi>}
          {component.group && <span className="cell-sub clip" dir="auto">{component.group}</span>}
          {component.statusOverride && (
            <span className="cell-sub">
              Set by hand{component.overrideUntil && <> until <Moment value={component.overrideUntil} form="minutes" /></>}
            </span>
          )}
        </div>
      </th>
      <td className="nowrap" data-label="Monitors" role="cell">
        <div className="cell-name">
          <span>{monitorsWords(component.monitorIds.length, component.missingMonitors)}</span>
          {component.monitorIds.length > 0 && <span className="cell-sub">{AGGREGATIONS[component.aggregation]}</span>}
        </div>
      </td>
      <td className="cell-actions" role="cell">
        {edits && moves.ids.length > 1 && <><OrderHandle at={at} moves={moves} />{" "}</>}
        <ActionMenu label={`More for ${component.name}`} small entries={entries.filter((one): one is MenuEntry => one !== false)} />
      </td>
    </tr>
  );
}

/** The components of a page in its order, which a handle changes by drag and by keys. */
export function ComponentTable({ page, components }: { page: StatusPage; components: readonly PageComponent[] }) {
  const order = useOrder(page, components);
  const { setOrder, dragged, setDragged } = order;
  const names = new Map(order.order.map((one) => [one.id, one.name]));
  const moves = useMoves({
    ids: order.order.map((one) => one.id), nameOf: (id) => names.get(id) ?? "", noun: "component", setIds: setOrder, dragged, setDragged,
  });
  const [removed, setRemoved] = useState<PageComponent>();
  return (
    <>
      <CardTable
        caption={`Components of ${page.name}, in page order`} className="order-table"
        heads={[["status", "Status"], ["component", "Component"], ["monitors", "Monitors"]]}
      >
        {order.order.map((one, at) => (
          <ComponentRow key={one.id} page={page} component={one} at={at} moves={moves} remove={() => setRemoved(one)} />
        ))}
      </CardTable>
      <p className="vh" role="status">{moves.said}</p>
      {removed && <DeleteComponent page={page} component={removed} onClose={() => setRemoved(undefined)} />}
    </>
  );
}
