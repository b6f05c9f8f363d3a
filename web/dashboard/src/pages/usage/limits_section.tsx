import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { DashboardSchemas } from "../../../../api/client";
import { ApiError } from "../../api/errors";
import { BACKGROUND, take } from "../../api/services";
import { LoadError, RequestId, Skeleton } from "../../parts/feedback";
import { Sign } from "../../parts/icon";
import { useLostStores } from "../../parts/lost_store_banners";
import { Moment, ZoneName } from "../../parts/time";
import { numberText } from "../../time/format";
import { useProject } from "../project_context";
import { credentialWords, fullestFirst } from "./usage_words";
import { UseCells } from "./use_cells";

type Limit = DashboardSchemas["CredentialLimit"];

const LIMITS_EVERY = 5_000;

function LimitRow({ limit }: { limit: Limit }) {
  const { path } = useProject();
  const place = limit.jobId ? path("jobs", limit.jobId, "keys") : limit.kind === "project" ? undefined : path("tokens");
  return (
    <tr role="row">
      <UseCells
        use={limit} full="At its limit" name={place ? <Link to={place}>{limit.name}</Link> : limit.name} note={credentialWords(limit)}
      >
        <td className="cell-hide" data-label="Class" role="cell"><code>{limit.class}</code></td>
      </UseCells>
      <td className="num" data-label="Used" role="cell">
        <span className="nowrap">{numberText(limit.used)} of {numberText(limit.limit)} in {numberText(limit.windowSeconds)} s</span>
      </td>
      <td className="num cell-hide" data-label="Resets" role="cell"><Moment value={limit.resetAt} /></td>
    </tr>
  );
}

function LimitTable({ rows }: { rows: readonly Limit[] }) {
  const { project } = useProject();
  return (
    <div className="panel">
      <div className="table-box">
        <table className="table table-cards" role="table">
          <caption className="vh">Rate limits of the credentials of {project.name}, fullest first</caption>
          <thead role="rowgroup">
            <tr role="row">
              <th scope="col" role="columnheader">State</th>
              <th scope="col" role="columnheader">Credential</th>
              <th scope="col" role="columnheader" className="cell-hide">Class</th>
              <th scope="col" role="columnheader">Share</th>
              <th scope="col" role="columnheader" className="num">Used</th>
              <th scope="col" role="columnheader" className="num cell-hide">Resets, <ZoneName /></th>
            </tr>
          </thead>
          <tbody role="rowgroup">{rows.map((one) => <LimitRow limit={one} key={`${one.id} ${one.class}`} />)}</tbody>
        </table>
      </div>
      <div className="panel-foot">
        <span>A credential at its limit gets 429 until its oldest request leaves the window.</span>
        <span className="push faint">All CLI tokens of a person share one window.</span>
      </div>
    </div>
  );
}

/** The instances share these windows in Redis, so nobody knows them while it is away. */
function Unknown({ error }: { error: ApiError }) {
  return (
    <div className="banner s-unknown" role="status">
      <Sign name="unknown" look="s-unknown" />
      <div className="stack g-2">
        <div className="stack g-1">
          <p className="banner-title">The use of rate limits is not known now</p>
          <p className="small">
            All instances share these numbers in Redis, which cannot be reached. Until it is back each instance counts by itself. The
            quotas above are not affected. The page keeps trying.
          </p>
        </div>
        <RequestId id={error.requestId} />
      </div>
      <div className="actions" />
    </div>
  );
}

/** The windows of the project's credentials and their counts, read every five seconds while the tab is visible. */
export function LimitsSection() {
  const { pages, key } = useProject();
  // Nobody caused these reads by hand; the page's first one is that of the quotas.
  const limits = useQuery({
    queryKey: [key, "limits"], refetchInterval: LIMITS_EVERY, refetchIntervalInBackground: false,
    queryFn: ({ signal }) => take(pages.GET("/dashboard/v1/limits", { headers: BACKGROUND, signal })),
  });
  const { data, error } = limits;
  const lost = useLostStores();
  const away = error instanceof ApiError && error.status === 503 && !lost.includes("postgres") ? error : undefined;
  return (
    <section className="section" aria-labelledby="limits-head">
      <div className="section-head">
        <h2 id="limits-head">Rate limits</h2>
        {data && !error && <span className="as-of"><span className="live">Live</span> every 5 s</span>}
      </div>
      {away && <Unknown error={away} />}
      {error && !away && <LoadError what="The rate limits" error={error} />}
      {!data && !error && <Skeleton name="rate limits" rows={3} />}
      {data && !error && <LimitTable rows={fullestFirst(data.credentials)} />}
    </section>
  );
}
