import { useMutation } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { take } from "../../api/services";
import { usePolled } from "../../api/use_polled";
import { svcLine } from "../../parts/api_lines";
import { AsApi } from "../../parts/as_api";
import { CardTable } from "../../parts/card_table";
import { Confirm } from "../../parts/dialog";
import { Blank, LoadError, PageError, Skeleton } from "../../parts/feedback";
import { State } from "../../parts/icon";
import { ListFoot } from "../../parts/list_foot";
import type { StateLook } from "../../parts/states";
import { Moment, ZoneName } from "../../parts/time";
import { toast } from "../../parts/toasts";
import { useProject } from "../project_context";
import { namesText } from "../providers/delete_provider";
import { StatusPageFrame } from "./page_frame";
import { type StatusPage, type Subscriber, readSubscribers, useComponents } from "./page_queries";
import { maskedAddress } from "./page_states";
import { usePagesChanged } from "./use_page_acts";

const ROUTE = "/signed-in/$org/$project/status-pages/$pageId/subscribers";
const PAGE = 50;
const ACTIVE: StateLook = { word: "Active", sign: "passed", look: "s-active" };
const PENDING: StateLook = { word: "Unconfirmed", sign: "queued", look: "s-pending" };

interface RemoveProps {
  page: StatusPage;
  subscriber: Subscriber;
  onClose: () => void;
}

/** Asks before an address loses its mails. */
function RemoveSubscriber({ page, subscriber, onClose }: RemoveProps) {
  const { api } = useProject();
  const changed = usePagesChanged();
  const address = maskedAddress(subscriber.email);
  const remove = useMutation({
    mutationFn: () => take(api.DELETE("/api/status-pages/{id}/subscribers/{subscriberId}", {
      params: { path: { id: page.id, subscriberId: subscriber.id } },
    })),
    onSuccess: () => {
      toast({ text: `${address} was removed.`, sign: "cancelled", look: "s-cancelled" });
      onClose();
      return changed();
    },
  });
  return (
    <Confirm
      title={`Remove ${address}?`} verb="Remove subscriber" keepWord="Keep subscriber" busy={remove.isPending} error={remove.error}
      onClose={onClose} onConfirm={() => !remove.isPending && remove.mutate()}
    >
      <p className="muted">It subscribed at <Moment value={subscriber.createdAt} form="minutes" />.</p>
      <p>The address receives no further post of {page.name}. Its owner can subscribe again.</p>
    </Confirm>
  );
}

function NoSubscribers({ page }: { page: StatusPage }) {
  const { path } = useProject();
  return (
    <div className="panel">
      <Blank icon="mail" title="No subscriber yet">
        <p>
          {page.allowSubscribers
            ? "Visitors subscribe on the page and confirm their address. Each post is then sent to them by mail."
            : "Visitors cannot subscribe: mail is switched off for this page."}
        </p>
        {!page.allowSubscribers && (
          <div className="row"><Link className="btn" to={path("status-pages", page.id, "settings")}>Open the settings</Link></div>
        )}
      </Blank>
    </div>
  );
}

interface RowProps {
  subscriber: Subscriber;
  /** Names of components by their ids. */
  names: ReadonlyMap<string, string>;
  remove: () => void;
}

function SubscriberRow({ subscriber, names, remove }: RowProps) {
  const address = maskedAddress(subscriber.email);
  const components = subscriber.componentIds.map((id) => names.get(id) ?? "deleted component");
  return (
    <tr role="row">
      <td className="cell-state" role="cell"><State state={subscriber.status === "active" ? ACTIVE : PENDING} /></td>
      <th scope="row" role="rowheader" className="cell-grow"><bdi className="clip medium">{address}</bdi></th>
      <td data-label="Posts" role="cell">
        {components.length === 0 && <span className="nowrap">All posts</span>}
        {components.length > 0 && <span className="wrap-any" dir="auto">{namesText(components)}</span>}
      </td>
      <td className="nowrap" data-label="Confirmed" role="cell">
        <Moment value={subscriber.confirmedAt} form="minutes" missing="Not yet" />
      </td>
      <td className="cell-actions" role="cell">
        <button
          className="btn btn-s btn-danger-quiet" type="button" aria-haspopup="dialog" aria-label={`Remove ${address}`} onClick={remove}
        >
          Remove
        </button>
      </td>
    </tr>
  );
}

function Subscribers({ page }: { page: StatusPage }) {
  const { api, key } = useProject();
  const place = useSearch({ from: ROUTE });
  const [asked, setAsked] = useState<Subscriber>();
  const components = useComponents(page.id);
  const found = usePolled({
    key: [key, "page-subscribers", page.id, place], keep: true,
    read: (headers, signal) => readSubscribers(api, page.id, place, headers, signal, PAGE),
  });
  const again = () => void found.refetch();
  const names = new Map((components.data ?? []).map((one) => [one.id, one.name]));
  return (
    <section className="section" aria-label={`Subscribers of ${page.name}`}>
      {found.data && found.error && <LoadError what="Changes" error={found.error} retry={again} />}
      {!found.data && (found.error
        ? <PageError thing="This list" what="The subscribers" error={found.error} retry={again} />
        : <Skeleton name="subscribers" />)}
      {found.data?.pagination.total === 0 && <NoSubscribers page={page} />}
      {found.data && found.data.pagination.total > 0 && (
        <CardTable
          caption={`Subscribers of ${page.name}, newest first`} foot={<ListFoot things="Subscribers" page={found.data} />}
          heads={[["state", "State"], ["address", "Address"], ["posts", "Posts"], ["confirmed", <>Confirmed, <ZoneName /></>]]}
        >
          {found.data.rows.map((one) => <SubscriberRow key={one.id} subscriber={one} names={names} remove={() => setAsked(one)} />)}
        </CardTable>
      )}
      <AsApi
        views={[{
          request: { method: "GET", path: `/api/status-pages/${page.id}/subscribers`, query: { limit: PAGE, page: place.page } },
          svc: svcLine(["page", "subscriber", "list", page.slug]),
        }]}
      />
      {asked && <RemoveSubscriber page={page} subscriber={asked} onClose={() => setAsked(undefined)} />}
    </section>
  );
}

export default function SubscribersPage() {
  const { pageId } = useParams({ from: ROUTE });
  return <StatusPageFrame id={pageId} tab="subscribers" needsEditor>{(page) => <Subscribers page={page} />}</StatusPageFrame>;
}
