import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { usePolled } from "../../api/use_polled";
import { svcLine } from "../../parts/api_lines";
import { type ApiView, AsApi } from "../../parts/as_api";
import { PageError, Skeleton } from "../../parts/feedback";
import { hasRole } from "../../parts/states";
import { useTitle } from "../../parts/use_title";
import { useProject } from "../project_context";
import { EditForm } from "./edit_form";
import { EnvironmentHelp } from "./environment_help";
import { ScriptField, useScript } from "./script/script_field";
import { TestCrumbs, TestHead } from "./test_head";
import { TestOutput } from "./test_output";
import { type TestVersion, readVersion } from "./test_queries";

const ROUTE = "/signed-in/$org/$project/tests/$testId";

/** The page of a test for those who may only read it. */
function ReadOnly({ version, runId }: { version: TestVersion; runId?: string }) {
  const script = useScript();
  const { test } = version;
  return (
    <div className="stack g-5">
      <TestHead version={version} changed={false} acts={null} />
      <div className="split split-half">
        <section className="section" aria-labelledby="script-head">
          <div className="section-head"><h2 id="script-head">Script</h2></div>
          <ScriptField script={script} text={version.script} type={test.type} readOnly />
          <EnvironmentHelp type={test.type} />
        </section>
        <TestOutput testId={test.id} runId={runId} savedAt={test.updatedAt} executes={false} />
      </div>
    </div>
  );
}

/** The page while there is no test to show. */
function NoTest({ error, retry }: { error: Error | null; retry: () => void }) {
  const { path, project } = useProject();
  useTitle("Test", project.name);
  return (
    <div className="page">
      <TestCrumbs last="Test" />
      {error
        ? (
          <PageError
            page thing="This test" what="The test" error={error} retry={retry}
            back={<Link className="btn" to={path("tests")}>Show all tests</Link>}
          />
        )
        : <Skeleton name="the test" />}
    </div>
  );
}

const viewsOf = (id: string, edits: boolean): ApiView[] => [
  {
    word: "Read the test with its script", request: { method: "GET", path: `/api/tests/${id}`, query: { includeScript: "true" } },
    svc: svcLine(["test", "get", id]),
  },
  ...(edits ? [{
    word: "Execute the test", request: { method: "POST", path: `/api/tests/${id}/execute` } as const,
    svc: svcLine(["test", "execute", id, "--follow"]),
  }] : []),
];

interface TestProps {
  testId: string;
  runId?: string;
}

/** The form starts from one version and keeps it: only a save or a conflict replaces it. */
function EditedTest({ testId, runId }: TestProps) {
  const { api, key } = useProject();
  const version = useQuery({
    queryKey: [key, "test-edit", testId], queryFn: ({ signal }) => readVersion(api, testId, signal), staleTime: Infinity, gcTime: 0,
  });
  if (!version.data) return <NoTest error={version.error} retry={() => void version.refetch()} />;
  return (
    <div className="page">
      <EditForm first={version.data} runId={runId} />
      <AsApi views={viewsOf(testId, true)} />
    </div>
  );
}

/** Whoever may only read the test sees its newest version. */
function ShownTest({ testId, runId }: TestProps) {
  const { api, key } = useProject();
  const version = usePolled({ key: [key, "tests", "one", testId], read: (_, signal) => readVersion(api, testId, signal) });
  if (!version.data) return <NoTest error={version.error} retry={() => void version.refetch()} />;
  return (
    <div className="page">
      <ReadOnly key={version.data.etag} version={version.data} runId={runId} />
      <AsApi views={viewsOf(testId, false)} />
    </div>
  );
}

/** A test with its script, and what an execution prints next to it; `?run=` names the execution. */
export default function TestPage() {
  const { project } = useProject();
  const { testId } = useParams({ from: ROUTE });
  const { run } = useSearch({ from: ROUTE });
  const Shown = hasRole(project.role, "project_editor") ? EditedTest : ShownTest;
  return <Shown key={testId} testId={testId} runId={run} />;
}
