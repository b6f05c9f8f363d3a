import { Link } from "@tanstack/react-router";
import { type ReactNode, useId, useState } from "react";
import { CopyButton } from "../../parts/copy";
import { CardRows } from "../../parts/card_table";
import { Icon } from "../../parts/icon";
import type { ListPage } from "../../parts/list_foot";
import { Moment, NOTHING, ZoneName } from "../../parts/time";
import { browserName } from "../account/user_agent";
import { LOCATED, isLocated } from "../located";
import { type AuditEntry, type AuditQuery, changeWords, detailLines, wayOf } from "./audit_words";

function Id({ id, what }: { id: string; what: string }) {
  return <span className="row row-tight g-1"><code className="clip">{id}</code><CopyButton text={id} label={`Copy ${what}`} /></span>;
}

interface RowProps {
  entry: AuditEntry;
  /** Returns the name of the member with this id, as far as it is known. */
  nameOf: (id: string) => string | undefined;
  /** The filters of the list. */
  query: AuditQuery;
}

const wordsOf = ({ entry, nameOf }: Pick<RowProps, "entry" | "nameOf">): string =>
  changeWords(entry, entry.resource === "member" && entry.resourceId ? nameOf(entry.resourceId) : undefined);

/** The way to the thing itself, which may have been deleted since. */
function ThingLink({ resource, resourceId, action }: AuditEntry) {
  const type = resource === "notification_provider" ? "provider" : resource;
  if (!resourceId || !isLocated(type) || action.endsWith(".deleted")) return null;
  return <Link className="nowrap" to="/_go/$type/$id" params={{ type, id: resourceId }}>Open {LOCATED[type]}</Link>;
}

function Details({ entry, words, query }: Pick<RowProps, "entry" | "query"> & { words: string }) {
  const lines = detailLines(entry.details);
  const { actor } = entry;
  return (
    <div className="split split-half">
      {lines.length > 0
        ? (
          <div className="code">
            <div className="code-head"><span>details</span></div>
            <pre tabIndex={0} role="region" aria-label={`Details of: ${words}`}>
              <code>
                {lines.map((line, at) => <span className={line.look} key={at}>{line.text}{"\n"}</span>)}
              </code>
            </pre>
          </div>
        )
        : <p className="muted">The change has no further details.</p>}
      <dl className="facts-rows">
        <div>
          <dt>Resource</dt>
          <dd>
            {entry.resource} {entry.resourceId && <Id id={entry.resourceId} what="id of the resource" />} <ThingLink {...entry} />
          </dd>
        </div>
        {actor.id && !query.actorId && (
          <div>
            <dt>Actor</dt>
            <dd className="wrap-any">
              <Link to="." search={{ ...query, actorId: actor.id }}>Only changes by <bdi>{actor.name}</bdi></Link>
            </dd>
          </div>
        )}
        {entry.requestId && <div><dt>Request</dt><dd><Id id={entry.requestId} what="request id" /></dd></div>}
        {entry.userAgent && <div><dt>Client</dt><dd className="wrap-any">{browserName(entry.userAgent)}</dd></div>}
        {actor.tokenId && <div><dt>Token or key</dt><dd><Id id={actor.tokenId} what="id of the token" /></dd></div>}
        {actor.sessionId && <div><dt>Session</dt><dd><Id id={actor.sessionId} what="id of the session" /></dd></div>}
      </dl>
    </div>
  );
}

function Row({ entry, nameOf, query }: RowProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const words = wordsOf({ entry, nameOf });
  return (
    <>
      <tr role="row" className={open ? "is-open" : undefined}>
        <td data-label="At" role="cell"><Moment value={entry.createdAt} /></td>
        <th scope="row" role="rowheader" className="cell-grow">
          <div className="cell-name">
            <bdi className="medium wrap-any">{words}</bdi>
            <span className="cell-sub mono">{entry.action}</span>
          </div>
        </th>
        <td data-label="Actor" role="cell">
          <div className="cell-name nowrap"><bdi>{entry.actor.name}</bdi><span className="cell-sub">{wayOf(entry)}</span></div>
        </td>
        <td data-label="Address" role="cell" className="mono small">{entry.ip ?? NOTHING}</td>
        <td className="cell-actions" role="cell">
          <button
            className="btn btn-s btn-quiet btn-icon" type="button" aria-expanded={open} aria-controls={open ? id : undefined}
            aria-label={`Details of: ${words}`} onClick={() => setOpen(!open)}
          >
            <Icon name={open ? "down" : "right"} />
          </button>
        </td>
      </tr>
      {open && (
        <tr className="row-details" role="row" id={id}>
          <td role="cell" colSpan={5}><Details entry={entry} words={words} query={query} /></td>
        </tr>
      )}
    </>
  );
}

/** Changes with their authors, newest first. Each row opens its details. */
export function AuditTable({ caption, page, foot, ...row }: Omit<RowProps, "entry"> & {
  caption: string; page: ListPage<AuditEntry>; foot: ReactNode;
}) {
  return (
    <div className="panel">
      <CardRows
        className="table-audit" caption={caption}
        heads={
          <>
            <th scope="col" role="columnheader">At, <ZoneName /></th>
            <th scope="col" role="columnheader">Change</th>
            <th scope="col" role="columnheader">Actor</th>
            <th scope="col" role="columnheader">Address</th>
            <th scope="col" role="columnheader"><span className="vh">Details</span></th>
          </>
        }
      >
        {page.rows.map((entry) => <Row key={entry.id} entry={entry} {...row} />)}
      </CardRows>
      {foot}
    </div>
  );
}
