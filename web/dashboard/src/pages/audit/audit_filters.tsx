import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { Icon } from "../../parts/icon";
import type { Found } from "../../parts/search_pages";
import { type Choice, SearchSelect } from "../../parts/search_select";
import type { AuditQuery } from "./audit_words";

// Other actions can be typed: the service takes each name.
const ACTIONS = [
  "alert.retried", "cli_token.created", "cli_token.disabled", "cli_token.enabled", "cli_token.revoked", "cli_token.rotated",
  "cli_token.secret_confirmed", "cli_token.secret_ended", "cli_token.updated", "component.created", "component.deleted",
  "component.updated", "incident.created", "incident.deleted", "incident.updated", "invitation.accepted", "invitation.created",
  "invitation.renewed", "invitation.revoked", "job.created", "job.deleted", "job.triggered", "job.updated",
  "maintenance_window.created", "maintenance_window.deleted", "maintenance_window.ended", "maintenance_window.updated",
  "member.added", "member.removed", "member.role_removed", "member.role_set", "monitor.checked", "monitor.created",
  "monitor.deleted", "monitor.key_rotated", "monitor.restored", "monitor.updated", "notification_provider.created",
  "notification_provider.deleted", "notification_provider.disabled", "notification_provider.tested",
  "notification_provider.updated", "organization.policy_set", "organization.updated", "outage.acknowledged", "post.created",
  "post.updated", "project.archived", "project.created", "project.unarchived", "project.updated", "run.cancel_requested",
  "run.cancelled", "run.deleted", "runner.created", "runner.revoked", "sign_in.failed", "status_page.archived",
  "status_page.created", "status_page.deleted", "status_page.domain_lost", "status_page.domain_verified",
  "status_page.published", "status_page.updated", "subscriber.removed", "tag.created", "tag.deleted", "tag.updated",
  "test.created", "test.deleted", "test.executed", "test.tagged", "test.updated", "trigger_key.created", "trigger_key.disabled",
  "trigger_key.enabled", "trigger_key.revoked", "trigger_key.rotated", "trigger_key.secret_confirmed",
  "trigger_key.secret_ended", "trigger_key.updated", "variable.created", "variable.deleted", "variable.updated",
];

interface FiltersProps {
  query: AuditQuery;
  actorName?: string;
  /** The start of the keys of the searches. */
  queryKey: string;
  searchActors: (words: string, signal: AbortSignal) => Promise<Found<Choice>>;
  apply: (query: AuditQuery) => void;
}

/** Action, actor and days. Each is a part of the address. */
export function AuditFilters({ query, actorName, queryKey, searchActors, apply }: FiltersProps) {
  const [action, setAction] = useState(query.action ?? "");
  const [from, setFrom] = useState(query.from ?? "");
  const [to, setTo] = useState(query.to ?? "");
  const typed = () => ({ action: action.trim() || undefined, from: from || undefined, to: to || undefined });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    apply({ ...query, ...typed() });
  };
  return (
    <form className="filters" role="search" aria-label="Filter the audit trail" onSubmit={submit}>
      <span className="search-box">
        <label className="vh" htmlFor="audit-action">Action</label>
        <Icon name="search" />
        <input
          className="input" id="audit-action" name="action" type="search" placeholder="Any action" list="audit-actions" maxLength={100}
          autoComplete="off" spellCheck={false} value={action} onChange={(event) => setAction(event.target.value)}
        />
        <datalist id="audit-actions">{ACTIONS.map((one) => <option key={one} value={one} />)}</datalist>
      </span>
      {query.actorId
        ? (
          <button
            className="chip" type="button" aria-label={`Remove the filter by actor ${actorName ?? query.actorId}`}
            onClick={() => apply({ ...query, ...typed(), actorId: undefined })}
          >
            actor: <bdi>{actorName ?? query.actorId.slice(0, 8)}</bdi> <Icon name="x" small />
          </button>
        )
        : (
          <span className="filter-job">
            <SearchSelect
              label="Actor" name="actor" hideLabel placeholder="Any actor" queryKey={[queryKey, "actors"]} search={searchActors}
              onChoose={(actor) => apply({ ...query, ...typed(), actorId: actor.id })}
            />
          </span>
        )}
      <span className="row g-2">
        <label className="vh" htmlFor="audit-from">From</label>
        <input
          className="input date" id="audit-from" name="from" type="date" max={to || undefined} value={from}
          onChange={(event) => setFrom(event.target.value)}
        />
        <span className="faint" aria-hidden="true">to</span>
        <label className="vh" htmlFor="audit-to">To</label>
        <input
          className="input date" id="audit-to" name="to" type="date" min={from || undefined} value={to}
          onChange={(event) => setTo(event.target.value)}
        />
      </span>
      <button className="btn" type="submit">Filter</button>
      {Object.values(query).some(Boolean) && <Link className="btn btn-quiet" to="." search={{}}>Show all</Link>}
    </form>
  );
}
