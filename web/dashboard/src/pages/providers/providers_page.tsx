import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { usePolled } from "../../api/use_polled";
import { svcLine } from "../../parts/api_lines";
import { AsApi } from "../../parts/as_api";
import { CardTable } from "../../parts/card_table";
import { CommandLine, copyId } from "../../parts/copy";
import { Blank, LoadError, PageError, Skeleton } from "../../parts/feedback";
import { Icon, State } from "../../parts/icon";
import { ListFoot } from "../../parts/list_foot";
import { ActionMenu } from "../../parts/menu";
import { PageHead } from "../../parts/page";
import { hasRole } from "../../parts/states";
import { Moment, NOTHING, ZoneName } from "../../parts/time";
import { toast, warn } from "../../parts/toasts";
import { useTitle } from "../../parts/use_title";
import { useProject } from "../project_context";
import { type Provider, readProviders, useProviderUsage } from "./provider_queries";
import { useProviderTest } from "./provider_test";
import { providerState, providerTypeWord, reasonWords } from "./provider_words";

const PAGE = 25;

const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? "" : "s"}`;

function Users({ provider }: { provider: Provider }) {
  const { data } = useProviderUsage(provider.id);
  if (!data) return <span className="faint">…</span>;
  const parts = [data.monitors.length && plural(data.monitors.length, "monitor"), data.jobs.length && plural(data.jobs.length, "job")];
  return <span className="nowrap">{parts.filter(Boolean).join(", ") || <span className="muted">Nothing</span>}</span>;
}

function ProviderRow({ provider }: { provider: Provider }) {
  const { path, project } = useProject();
  const navigate = useNavigate();
  const test = useProviderTest();
  const send = () => !test.isPending && test.mutate({ id: provider.id }, {
    onSuccess: ({ success, message }) => {
      if (success) toast({ text: `${provider.name}: ${message}` });
      else warn(`${provider.name}: ${message}`);
    },
    onError: (error) => warn(`${provider.name} was not tested. ${error.message}`),
  });
  return (
    <tr role="row">
      <td className="cell-state" role="cell"><State state={providerState(provider)} /></td>
      <th scope="row" role="rowheader" className="cell-grow">
        <div className="cell-name">
          <Link className="clip" to={path("providers", provider.id)} dir="auto">{provider.name}</Link>
          <span className="cell-sub">{providerTypeWord(provider.type)}</span>
        </div>
      </th>
      <td data-label="Last used" role="cell"><Moment value={provider.lastUsed} form="minutes" missing="Never" /></td>
      <td className="cell-words" data-label="Last error" role="cell">
        {provider.lastError
          ? (
            <div className="cell-name">
              <Moment value={provider.lastError.at} form="minutes" />
              <span className="cell-sub">
                {reasonWords(provider.lastError.reason)}{provider.lastError.status && `, ${provider.lastError.status}`}
              </span>
            </div>
          )
          : <span className="faint">{NOTHING}</span>}
      </td>
      <td data-label="Used by" role="cell"><Users provider={provider} /></td>
      <td className="cell-actions" role="cell">
        {hasRole(project.role, "project_editor") && (
          <button
            className="btn btn-s" type="button" aria-label={`Test ${provider.name}`} aria-disabled={test.isPending}
            data-pending={test.isPending || undefined} onClick={send}
          >
            Test
          </button>
        )}{" "}
        <ActionMenu
          label={`More for ${provider.name}`} small
          entries={[
            {
              id: "alerts", icon: "bell", word: "Its alerts",
              act: () => void navigate({ to: path("alerts"), search: { providerId: provider.id } as never }),
            },
            { id: "copy", icon: "copy", word: "Copy id", act: () => copyId(provider.id) },
          ]}
        />
      </td>
    </tr>
  );
}

export default function ProvidersPage() {
  const { api, key, project, path } = useProject();
  const place = useSearch({ from: "/signed-in/$org/$project/providers" });
  useTitle("Providers", project.name);
  const providers = usePolled({
    key: [key, "providers", place], keep: true, every: 30_000, read: (headers, signal) => readProviders(api, place, headers, signal, PAGE),
  });
  const lines = { page: place.page, limit: PAGE };
  const rows = providers.data?.rows ?? [];
  const edits = hasRole(project.role, "project_editor");
  const again = () => void providers.refetch();
  const create = <Link className="btn btn-primary" to={path("providers", "new")}><Icon name="plus" />Create provider</Link>;
  return (
    <div className="page">
      <PageHead
        title="Notification providers" lead="Monitors and jobs send their alerts to providers: mail, chats, pagers and webhooks."
        actions={edits && rows.length > 0 && create}
      />
      <section className="section" aria-label={`Providers of ${project.name}`}>
        {providers.error && providers.data && <LoadError what="Changes" error={providers.error} retry={again} />}
        {providers.error && !providers.data && (
          <PageError thing="This list" what="The providers" error={providers.error} retry={again} />
        )}
        {!providers.data && !providers.error && <Skeleton name="providers" rows={3} />}
        {rows.length > 0 && (
          <CardTable
            caption={`Notification providers of ${project.name}`} foot={<ListFoot things="Providers" page={providers.data!} />}
            heads={[
              ["state", "State"], ["name", "Name"], ["used", <>Last used, <ZoneName /></>], ["error", "Last error"], ["users", "Used by"],
            ]}
          >
            {rows.map((one) => <ProviderRow key={one.id} provider={one} />)}
          </CardTable>
        )}
        {providers.data && rows.length === 0 && (
          <div className="panel">
            <Blank icon="send" title="No providers yet">
              <p>A provider is a place that alerts are sent to, such as a mail address, a channel or a webhook.</p>
              {edits && <div className="row">{create}</div>}
              {edits && (
                <>
                  <p className="small faint">Or from a shell:</p>
                  <CommandLine command={`echo '{"to": ["ops@example.org"]}' | svc provider create on-call --type email --config -`} />
                </>
              )}
            </Blank>
          </div>
        )}
      </section>
      <AsApi
        views={[{
          request: { method: "GET", path: "/api/notification-providers", query: lines }, svc: svcLine(["provider", "list"], lines),
        }]}
      />
    </div>
  );
}
