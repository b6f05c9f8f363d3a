import { take } from "../../api/services";
import { usePolled } from "../../api/use_polled";
import { svcLine } from "../../parts/api_lines";
import { AsApi } from "../../parts/as_api";
import { LoadError, PageError, Skeleton } from "../../parts/feedback";
import { PageHead } from "../../parts/page";
import { hasRole } from "../../parts/states";
import { Moment } from "../../parts/time";
import { useTitle } from "../../parts/use_title";
import { useProject } from "../project_context";
import { LimitsSection } from "./limits_section";
import { type Quota, quotasOf, usedText } from "./usage_words";
import { UseCells } from "./use_cells";

/** Milliseconds between reads while the project changes all the time: the service counts rows for each. */
const SETTLE = 10_000;

function QuotaTable({ quotas }: { quotas: readonly Quota[] }) {
  const { project } = useProject();
  return (
    <div className="panel">
      <div className="table-box">
        <table className="table table-cards" role="table">
          <caption className="vh">Quotas of {project.name}, fullest first</caption>
          <thead role="rowgroup">
            <tr role="row">
              <th scope="col" role="columnheader">State</th>
              <th scope="col" role="columnheader">Quota</th>
              <th scope="col" role="columnheader">Share</th>
              <th scope="col" role="columnheader" className="num">Used</th>
            </tr>
          </thead>
          <tbody role="rowgroup">
            {quotas.map((quota) => (
              <tr role="row" key={quota.id}>
                <UseCells use={quota} name={quota.name} note={quota.note} />
                <td className="num" data-label="Used" role="cell"><span className="nowrap">{usedText(quota)}</span></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="panel-foot"><span>The operator of {location.host} sets these limits.</span></div>
    </div>
  );
}

export default function UsagePage() {
  const { api, key, project } = useProject();
  useTitle("Usage", project.name);
  const usage = usePolled({
    key: [key, "usage"], settle: SETTLE, read: (headers, signal) => take(api.GET("/api/usage", { headers, signal })),
  });
  const again = () => void usage.refetch();
  return (
    <div className="page">
      <PageHead title="Usage" />
      <section className="section" aria-labelledby="quotas-head">
        <div className="section-head">
          <h2 id="quotas-head">Quotas</h2>
          {usage.data && <span className="as-of">as of <Moment value={new Date(usage.dataUpdatedAt).toISOString()} /></span>}
        </div>
        {usage.error && usage.data && <LoadError what="Changes" error={usage.error} retry={again} />}
        {usage.error && !usage.data && <PageError thing="This page" what="The quotas" error={usage.error} retry={again} />}
        {!usage.data && !usage.error && <Skeleton name="quotas" />}
        {usage.data && <QuotaTable quotas={quotasOf(usage.data)} />}
      </section>
      {hasRole(project.role, "project_editor") && <LimitsSection />}
      <AsApi views={[{ request: { method: "GET", path: "/api/usage" }, svc: svcLine(["usage"]) }]} />
    </div>
  );
}
