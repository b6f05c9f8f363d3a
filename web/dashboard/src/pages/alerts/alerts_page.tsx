import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { take } from "../../api/services";
import { usePolled } from "../../api/use_polled";
import { svcLine } from "../../parts/api_lines";
import { AsApi } from "../../parts/as_api";
import { CardRows } from "../../parts/card_table";
import { DayFields } from "../../parts/day_fields";
import { Blank, LoadError, PageError, Skeleton } from "../../parts/feedback";
import { SelectField } from "../../parts/field";
import { Icon, State } from "../../parts/icon";
import { ListFoot, type ListPage } from "../../parts/list_foot";
import { PageHead } from "../../parts/page";
import { hasRole } from "../../parts/states";
import { Moment, ZoneName } from "../../parts/time";
import { toast, warn } from "../../parts/toasts";
import { useDayRange } from "../../parts/use_days";
import { useTitle } from "../../parts/use_title";
import { useProject } from "../project_context";
import { list } from "../project_queries";
import { useProviders } from "../providers/provider_queries";
import { providerTypeWord } from "../providers/provider_words";
import { ALERT_STATES, ALERT_STATUSES, ALERT_TYPES, type Alert, alertState, alertTitle, deliveryWords } from "./alert_words";

const ROUTE = "/signed-in/$org/$project/alerts";
const STATUSES = [["", "Any status"], ...ALERT_STATUSES.map((status) => [status, ALERT_STATES[status].word] as const)] as const;
const TYPES = [["", "Any type"], ...ALERT_TYPES] as const;

function Filters({ targetName }: { targetName?: string }) {
  const search = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: "/$org/$project/alerts" });
  const providers = useProviders();
  const go = (change: Partial<typeof search>) =>
    void navigate({ search: { ...search, ...change, page: undefined, cursor: undefined } });
  const choices = (providers.data?.rows ?? []).map((one) => [one.id, one.name] as const);
  if (search.providerId && !choices.some(([id]) => id === search.providerId)) choices.push([search.providerId, "A deleted provider"]);
  return (
    <div className="filters" role="search" aria-label="Filter alerts">
      <SelectField
        label="Status" name="status" hideLabel value={search.status ?? ""} options={STATUSES}
        onChange={(value) => go({ status: ALERT_STATUSES.find((one) => one === value) })}
      />
      <SelectField
        label="Type" name="type" hideLabel value={search.type ?? ""} options={TYPES}
        onChange={(value) => go({ type: ALERT_TYPES.find(([one]) => one === value)?.[0] })}
      />
      {choices.length > 0 && (
        <SelectField
          label="Provider" name="providerId" hideLabel value={search.providerId ?? ""} options={[["", "Any provider"], ...choices]}
          onChange={(value) => go({ providerId: value || undefined })}
        />
      )}
      <DayFields from={search.from} to={search.to} onChange={go} />
      {search.targetId && (
        <Link
          className="chip" to="." search={{ ...search, targetId: undefined, page: undefined, cursor: undefined }}
          aria-label={`Remove the filter by ${targetName ?? search.targetId}`}
        >
          of: {targetName ?? search.targetId.slice(0, 8)} <Icon name="x" small />
        </Link>
      )}
      {Object.entries(search).some(([name, value]) => value && name !== "page" && name !== "cursor")
        && <Link className="btn btn-quiet" to="." search={{}}>Show all</Link>}
    </div>
  );
}

/** Returns the page of what an alert is about. */
function useTargetPath(): (alert: Alert) => string {
  const { path } = useProject();
  return (alert) => {
    if (alert.runId) return path("runs", alert.runId);
    if (alert.targetType === "provider") return path("providers", alert.targetId);
    if (alert.targetType === "status_page") return path("status-pages", alert.targetId);
    return path(alert.targetType === "job" ? "jobs" : "monitors", alert.targetId);
  };
}

interface RowProps {
  alert: Alert;
  providerType?: string;
  retry: () => void;
  busy: boolean;
}

function AlertRow({ alert, providerType, retry, busy }: RowProps) {
  const { project } = useProject();
  const target = useTargetPath();
  const { title, cause } = alertTitle(alert);
  return (
    <tr role="row">
      <td className="cell-state" role="cell"><State state={alertState(alert.status)} /></td>
      <th scope="row" role="rowheader">
        <div className="cell-name">
          <Link className="wrap-any" to={target(alert)} dir="auto">{title}</Link>
          {cause && <span className="cell-sub wrap-any" dir="auto">{cause}</span>}
          <span className="cell-sub"><span className="mono">{alert.type}</span>{alert.reminder > 0 && `, reminder ${alert.reminder}`}</span>
        </div>
      </th>
      <td data-label="Provider" role="cell">
        <div className="cell-name">
          <bdi className="wrap-any">{alert.notificationProvider}</bdi>
          {providerType && <span className="cell-sub">{providerTypeWord(providerType)}</span>}
        </div>
      </td>
      <td data-label="Created" role="cell"><Moment value={alert.timestamp} /></td>
      <td className="cell-wide cell-words" data-label="Delivery" role="cell">
        <div className="cell-name muted">
          <span>{deliveryWords(alert)}</span>
          {alert.sentAt && <span className="cell-sub">at <Moment value={alert.sentAt} /></span>}
          {alert.nextAttemptAt && <span className="cell-sub">next: <Moment value={alert.nextAttemptAt} /></span>}
        </div>
      </td>
      <td className="cell-actions" role="cell">
        {alert.status === "failed" && hasRole(project.role, "project_editor") && (
          <button
            className="btn btn-s" type="button" aria-label={`Retry: ${title}, ${alert.notificationProvider}`} aria-disabled={busy}
            onClick={() => !busy && retry()}
          >
            <Icon name="rerun" small />Retry
          </button>
        )}
      </td>
    </tr>
  );
}

function AlertTable({ page }: { page: ListPage<Alert> }) {
  const { api, key, project } = useProject();
  const client = useQueryClient();
  const providers = useProviders();
  const types = new Map((providers.data?.rows ?? []).map((one) => [one.id, one.type]));
  const retry = useMutation({
    mutationFn: ({ id }: Alert) => take(api.POST("/api/alerts/{id}/retry", { params: { path: { id } } })),
    onSuccess: (_, alert) => toast({ text: `The alert waits to be sent to ${alert.notificationProvider}.` }),
    onError: (error) => warn(`The alert is not sent again. ${error.message}`),
    onSettled: () => client.invalidateQueries({ queryKey: [key, "alerts"] }),
  });
  return (
    <div className="panel">
      <CardRows
        caption={`Alerts of ${project.name}, newest first`}
        heads={
          <>
            <th scope="col" role="columnheader">Status</th>
            <th scope="col" role="columnheader">Alert</th>
            <th scope="col" role="columnheader">Provider</th>
            <th scope="col" role="columnheader">Created, <ZoneName /></th>
            <th scope="col" role="columnheader">Delivery</th>
            <th scope="col" role="columnheader"><span className="vh">Actions</span></th>
          </>
        }
      >
        {page.rows.map((one) => (
          <AlertRow
            key={one.id} alert={one} providerType={types.get(one.providerId ?? "")} retry={() => retry.mutate(one)}
            busy={retry.isPending}
          />
        ))}
      </CardRows>
      <ListFoot things="Alerts" page={page} />
    </div>
  );
}

export default function AlertsPage() {
  const { api, key, project, path } = useProject();
  const { from, to, ...search } = useSearch({ from: ROUTE });
  useTitle("Alerts", project.name);
  const query = { ...search, ...useDayRange({ from, to }) };
  const lines = { ...query, cursor: undefined, limit: 50 };
  const { targetId, providerId, ...others } = lines;
  const options = { ...others, target: targetId, provider: providerId };
  const alerts = usePolled({
    key: [key, "alerts", query], keep: true,
    read: (headers, signal) => list<Alert>(api.GET("/api/alerts", { params: { query: { limit: 50, ...query } }, headers, signal })),
  });
  const target = useQuery({
    queryKey: [key, "alerts", "target", search.targetId], enabled: Boolean(search.targetId), staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const { data } = await take(api.GET("/api/alerts", { params: { query: { targetId: search.targetId, limit: 1 } }, signal }));
      return data[0]?.targetName ?? null;
    },
  });
  const rows = alerts.data?.rows ?? [];
  const filtered = Boolean(from || to || search.status || search.type || search.providerId || search.targetId);
  const again = () => void alerts.refetch();
  return (
    <div className="page">
      <PageHead title="Alerts" lead="One row for each alert and provider. Suppressed alerts were recorded but not sent." />
      <section className="section" aria-label={`Alerts of ${project.name}`}>
        <Filters targetName={target.data ?? undefined} />
        {alerts.error && alerts.data && <LoadError what="Changes" error={alerts.error} retry={again} />}
        {alerts.error && !alerts.data && <PageError thing="This list" what="The alerts" error={alerts.error} retry={again} />}
        {!alerts.data && !alerts.error && <Skeleton name="alerts" />}
        {alerts.data && rows.length > 0 && <AlertTable page={alerts.data} />}
        {alerts.data && rows.length === 0 && !alerts.isPlaceholderData && (
          <div className="panel">
            {filtered
              ? (
                <Blank icon="search" title="No alert matches these filters">
                  <p>The filters leave no alert of {project.name}.</p>
                  <div className="row"><Link className="btn" to={path("alerts")}>Show all alerts</Link></div>
                </Blank>
              )
              : (
                <Blank icon="bell" title="No alerts so far">
                  <p>A monitor or job with alerts writes one here for each provider, when it fails and when it recovers.</p>
                  <div className="row"><Link className="btn" to={path("monitors")}>Show monitors</Link></div>
                </Blank>
              )}
          </div>
        )}
      </section>
      <AsApi views={[{ request: { method: "GET", path: "/api/alerts", query: lines }, svc: svcLine(["alert", "list"], options) }]} />
    </div>
  );
}
