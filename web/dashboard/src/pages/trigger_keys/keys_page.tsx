import { Link, useParams } from "@tanstack/react-router";
import { usePolled } from "../../api/use_polled";
import { svcLine } from "../../parts/api_lines";
import { AsApi } from "../../parts/as_api";
import { CodeBlock } from "../../parts/copy";
import { Blank, LoadError, PageError, Skeleton } from "../../parts/feedback";
import { Icon } from "../../parts/icon";
import { ListFoot } from "../../parts/list_foot";
import { hasRole } from "../../parts/states";
import { useTitle } from "../../parts/use_title";
import { durationText, numberText } from "../../time/format";
import type { Credential } from "../credentials/credential_kind";
import { CredentialTable } from "../credentials/credential_table";
import { JobFrame, useJob } from "../jobs/job_frame";
import { NeedsEditor } from "../needs_project_role";
import { useProject } from "../project_context";
import { readTriggerKeys } from "../project_queries";
import { keySnippets } from "./key_snippets";
import { useKeyKind } from "./key_kind";

/** The limits of a key that differ from those of a new one. */
function limitsOf(credential: Credential): string | undefined {
  if (!("rateLimit" in credential)) return undefined;
  const { rateLimit, allowedCidrs } = credential;
  const rate = rateLimit && `${numberText(rateLimit.limit)} requests in ${durationText(rateLimit.windowSeconds * 1000)}`;
  const ranges = allowedCidrs?.slice(0, 2).join(", ");
  const others = allowedCidrs && allowedCidrs.length > 2 ? ` and ${allowedCidrs.length - 2} more` : "";
  const from = ranges && `from ${ranges}${others}`;
  return [rate, from].filter(Boolean).join(", ") || undefined;
}

function Keys() {
  const { api, key, project, path } = useProject();
  const { jobId } = useParams({ from: "/signed-in/$org/$project/jobs/$jobId/keys" });
  const job = useJob(jobId);
  const kind = useKeyKind(jobId);
  const keys = usePolled({
    key: [key, "trigger-keys", jobId], every: 30_000, read: (headers, signal) => readTriggerKeys(api, jobId, headers, signal),
  });
  useTitle("Trigger keys", job.data?.name, project.name);
  const creates = hasRole(project.role, "project_editor");
  const again = () => void keys.refetch();
  const create = <Link className="btn btn-primary" to={path("jobs", jobId, "keys", "new")}><Icon name="plus" />Create key</Link>;
  const curl = keySnippets(location.origin, jobId, "")[0]!;
  return (
    <JobFrame
      job={job} jobId={jobId} tab="keys" keyCount={keys.data?.pagination.total}
      actions={creates && keys.data?.rows.length ? create : undefined}
    >
      {keys.error && keys.data && <LoadError what="Changes" error={keys.error} retry={again} />}
      {keys.error && !keys.data && (
        <PageError thing="This list" what="The trigger keys" error={keys.error} retry={again} />
      )}
      {!keys.data && !keys.error && <Skeleton name="trigger keys" rows={3} />}
      {keys.data && keys.data.rows.length > 0 && (
        <>
          <CredentialTable
            caption={`Trigger keys of ${job.data?.name ?? "the job"}`} rows={keys.data.rows} kind={kind} note={limitsOf}
            foot={<ListFoot things="Keys" page={keys.data}><span className="push faint">At most 10 for a job</span></ListFoot>}
          />
          <section className="section" aria-labelledby="use-head">
            <h2 id="use-head">Use a key</h2>
            <p className="muted">{curl.lead}</p>
            <CodeBlock name={curl.name} text={curl.text} />
          </section>
        </>
      )}
      {keys.data && keys.data.rows.length === 0 && (
        <div className="panel">
          <Blank icon="key" title="No trigger keys yet">
            <p>A trigger key lets a pipeline start this job, and nothing else. Its requests can be limited by address and rate.</p>
            {creates && <div className="row">{create}</div>}
          </Blank>
        </div>
      )}
      {keys.data && (
        <AsApi
          views={[{
            request: { method: "GET", path: `/api/jobs/${jobId}/trigger-keys`, query: { limit: 100 } },
            svc: svcLine(["job", "keys", "list", jobId], { limit: 100 }),
          }]}
        />
      )}
    </JobFrame>
  );
}

export default function KeysPage() {
  return <NeedsEditor><Keys /></NeedsEditor>;
}
