import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type DragEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { WHOLE, take } from "../../../api/services";
import { CardTable } from "../../../parts/card_table";
import { copyId } from "../../../parts/copy";
import { Icon, State } from "../../../parts/icon";
import { ActionMenu, type MenuEntry } from "../../../parts/menu";
import { hasRole } from "../../../parts/states";
import { Moment } from "../../../parts/time";
import { toast, warn } from "../../../parts/toasts";
import { moved } from "../../jobs/edit/job_values";
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
  const setOrder = (next: readonly PageComponent[]) => setOwn(next.map((one) => one.id));
  return { order, setOrder, dragged, setDragged };
}

type Order = ReturnType<typeof useOrder>;

/** Moves rows by drag and by keys, and says where a row is. */
function useMoves({ order, setOrder, dragged, setDragged }: Order) {
  const [said, setSaid] = useState("");
  const focus = useRef<string>(undefined);
  useEffect(() => {
    if (!focus.current) return;
    document.querySelector<HTMLElement>(`[data-handle="${CSS.escape(focus.current)}"]`)?.focus();
    focus.current = undefined;
  });
  const move = (from: number, to: number) => {
    const place = Math.max(0, Math.min(to, order.length - 1));
    const one = order[from];
    if (!one || place === from) return;
    focus.current = one.id;
    setSaid(`${one.name} is component ${place + 1} of ${order.length} now.`);
    setOrder(moved(order, from, place));
  };
  const press = (event: KeyboardEvent, at: number) => {
    const places: Record<string, number> = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: order.length - 1 };
    const to = places[event.key];
    if (to === undefined) return;
    event.preventDefault();
    move(at, to);
  };
  const over = (event: DragEvent, at: number) => {
    if (dragged === undefined) return;
    event.preventDefault();
    if (at === dragged) return;
    setOrder(moved(order, dragged, at));
    setDragged(at);
  };
  return { dragged, setDragged, said, move, press, over };
}

interface RowProps {
  page: StatusPage;
  component: PageComponent;
  at: number;
  count: number;
  moves: ReturnType<typeof useMoves>;
  remove: () => void;
}

/** The handle that moves a row by drag and by the arrow keys. */
function Handle({ component, at, count, moves }: Pick<RowProps, "component" | "at" | "count" | "moves">) {
  return (
    <button
      className="btn btn-s btn-quiet btn-icon order-handle" type="button" draggable data-handle={component.id}
      aria-label={`Move ${component.name}, component ${at + 1} of ${count}`} aria-description="The arrow keys move it."
      onKeyDown={(event) => moves.press(event, at)} onDragEnd={() => moves.setDragged(undefined)}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = "move";
        event.dataTransfer.setData("text/plain", component.name);
        moves.setDragged(at);
      }}
    >
      <Icon name="updown" />
    </button>
  );
}

function ComponentRow({ page, component, at, count, moves, remove }: RowProps) {
  const { path, project } = useProject();
  const navigate = useNavigate();
  const edits = hasRole(project.role, "project_editor");
  const own = path("status-pages", page.id, "components", component.id);
  const entries: (MenuEntry | false)[] = [
    edits && { id: "edit", icon: "edit", word: "Edit", act: () => void navigate({ to: own }) },
    edits && at > 0 && { id: "up", icon: "arrow", word: "Move up", act: () => moves.move(at, at - 1) },
    edits && at > 0 && { id: "first", icon: "arrow", word: "Move to the start", act: () => moves.move(at, 0) },
    edits && at < count - 1 && { id: "down", icon: "arrow-down", word: "Move down", act: () => moves.move(at, at + 1) },
    edits && at < count - 1 && { id: "last", icon: "arrow-down", word: "Move to the end", act: () => moves.move(at, count - 1) },
    { id: "copy", icon: "copy", word: "Copy id", act: () => copyId(component.id) },
    edits && { id: "delete", icon: "trash", word: "Delete", act: remove },
  ];
  return (
    <tr
      role="row" data-dragged={moves.dragged === at || undefined} onDragOver={(event) => moves.over(event, at)}
      onDrop={(event) => (event.preventDefault(), moves.setDragged(undefined))}
    >
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
        {edits && count > 1 && <><Handle component={component} at={at} count={count} moves={moves} />{" "}</>}
        <ActionMenu label={`More for ${component.name}`} small entries={entries.filter((one): one is MenuEntry => one !== false)} />
      </td>
    </tr>
  );
}

/** The components of a page in its order, which a handle changes by drag and by keys. */
export function ComponentTable({ page, components }: { page: StatusPage; components: readonly PageComponent[] }) {
  const order = useOrder(page, components);
  const moves = useMoves(order);
  const [removed, setRemoved] = useState<PageComponent>();
  return (
    <>
      <CardTable
        caption={`Components of ${page.name}, in page order`} className="order-table"
        heads={[["status", "Status"], ["component", "Component"], ["monitors", "Monitors"]]}
      >
        {order.order.map((one, at) => (
          <ComponentRow
            key={one.id} page={page} component={one} at={at} count={order.order.length} moves={moves} remove={() => setRemoved(one)}
          />
        ))}
      </CardTable>
      <p className="vh" role="status">{moves.said}</p>
      {removed && <DeleteComponent page={page} component={removed} onClose={() => setRemoved(undefined)} />}
    </>
  );
}
