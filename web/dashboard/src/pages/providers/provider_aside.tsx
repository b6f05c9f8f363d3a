import { Link } from "@tanstack/react-router";
import { Moment } from "../../parts/time";
import { useProject } from "../project_context";
import { providerTypeWord, reasonWords } from "./provider_words";
import { type Provider, useProviderUsage } from "./provider_queries";

const SHOWN = 20;

const WORDS = { monitors: "Monitors", jobs: "Jobs", "status-pages": "Status pages" } as const;

function Names({ kind, rows }: { kind: keyof typeof WORDS; rows: readonly { id: string; name: string }[] }) {
  const { path } = useProject();
  if (!rows.length) return null;
  return (
    <div className="stack g-1">
      <h3 className="small">{WORDS[kind]} {rows.length}</h3>
      <ul className="stack g-1 small">
        {rows.slice(0, SHOWN).map((one) => (
          <li key={one.id}><Link className="wrap-any" to={path(kind, one.id)} dir="auto">{one.name}</Link></li>
        ))}
        {rows.length > SHOWN && <li className="muted">and {rows.length - SHOWN} more</li>}
      </ul>
    </div>
  );
}

/** How a provider works, and who uses it. */
export function ProviderAside({ provider }: { provider: Provider }) {
  const { path } = useProject();
  const usage = useProviderUsage(provider.id);
  const none = usage.data && !usage.data.monitors.length && !usage.data.jobs.length && !usage.data.statusPages.length;
  return (
    <aside className="stack g-6" aria-label="About the provider">
      <section className="panel" aria-labelledby="health-head">
        <div className="panel-head">
          <h2 id="health-head">Delivery</h2>
          <Link className="more" to={path("alerts")} search={{ providerId: provider.id }}>Its alerts</Link>
        </div>
        <div className="panel-body">
          <dl className="facts-rows">
            <div><dt>Type</dt><dd>{providerTypeWord(provider.type)}</dd></div>
            <div><dt>Last used</dt><dd><Moment value={provider.lastUsed} missing="Never" /></dd></div>
            <div>
              <dt>Last error</dt>
              <dd>
                {provider.lastError
                  ? (
                    <>
                      <Moment value={provider.lastError.at} />: {reasonWords(provider.lastError.reason)}
                      {provider.lastError.status && `, ${provider.lastError.status}`}
                    </>
                  )
                  : "None"}
              </dd>
            </div>
            <div><dt>Created</dt><dd><Moment value={provider.createdAt} form="date" /></dd></div>
          </dl>
        </div>
      </section>
      <section className="panel" aria-labelledby="users-head">
        <div className="panel-head"><h2 id="users-head">Used by</h2></div>
        <div className="panel-body stack g-3">
          {usage.data && <Names kind="monitors" rows={usage.data.monitors} />}
          {usage.data && <Names kind="jobs" rows={usage.data.jobs} />}
          {usage.data && <Names kind="status-pages" rows={usage.data.statusPages} />}
          {none && <p className="muted">No monitor, no job and no status page sends anything here.</p>}
        </div>
      </section>
    </aside>
  );
}
