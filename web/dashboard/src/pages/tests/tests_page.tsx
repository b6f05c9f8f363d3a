import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { usePolled } from "../../api/use_polled";
import { svcLine } from "../../parts/api_lines";
import { AsApi } from "../../parts/as_api";
import { CommandLine } from "../../parts/copy";
import { Blank, LoadError, PageError, Skeleton } from "../../parts/feedback";
import { SelectField } from "../../parts/field";
import { Icon } from "../../parts/icon";
import { ListFoot } from "../../parts/list_foot";
import { PageHead } from "../../parts/page";
import { SearchForm } from "../../parts/search_form";
import { hasRole } from "../../parts/states";
import { useTitle } from "../../parts/use_title";
import { useProject } from "../project_context";
import { useTags } from "../tags/use_tags";
import { readTests } from "./test_queries";
import { TestTable } from "./test_table";
import { TYPES } from "./test_words";

const ROUTE = "/signed-in/$org/$project/tests";
const KINDS = [["", "Any type"], ...TYPES] as const;

function Filters() {
  const search = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: "/$org/$project/tests" });
  const tags = useTags();
  const choices = (tags.data ?? []).map((tag) => [tag.id, tag.name] as const);
  const known = !search.tagId || choices.some(([id]) => id === search.tagId);
  const go = (change: Partial<typeof search>) =>
    void navigate({ search: { ...search, ...change, page: undefined, cursor: undefined } });
  return (
    <SearchForm
      things="tests" placeholder="Search by title" most={255} value={search.search}
      onSearch={(words) => go({ search: words })}
      rest={(clear) => (search.type || search.tagId || search.search) && (
        <Link className="btn btn-quiet" to="." search={{}} onClick={clear}>Show all</Link>
      )}
    >
      <SelectField
        label="Type" name="type" hideLabel value={search.type ?? ""} options={KINDS}
        onChange={(value) => go({ type: TYPES.find(([one]) => one === value)?.[0] })}
      />
      {(choices.length > 0 || search.tagId) && (
        <SelectField
          label="Tag" name="tagId" hideLabel value={search.tagId ?? ""} onChange={(value) => go({ tagId: value || undefined })}
          options={[["", "Any tag"], ...choices, ...(known ? [] : [[search.tagId!, `Tag ${search.tagId!.slice(0, 8)}`] as const])]}
        />
      )}
    </SearchForm>
  );
}

function NoTests({ filtered }: { filtered: boolean }) {
  const { project, path } = useProject();
  if (filtered) {
    return (
      <Blank icon="search" title="No test matches these filters">
        <p>The filters leave no test of {project.name}.</p>
        <div className="row"><Link className="btn" to={path("tests")}>Show all tests</Link></div>
      </Blank>
    );
  }
  const edits = hasRole(project.role, "project_editor");
  return (
    <Blank icon="tests" title="No tests yet">
      <p>
        A test is one script: a shell script, a Playwright test or a load test of k6. Jobs run tests in order.
        {!edits && ` An editor of ${project.name} can create one.`}
      </p>
      {edits && (
        <>
          <div className="row"><Link className="btn btn-primary" to={path("tests", "new")}>Create test</Link></div>
          <p className="small faint">Or from a shell:</p>
          <CommandLine command="echo 'echo hello' | svc test create smoke --type command --script -" />
        </>
      )}
    </Blank>
  );
}

/** The tests of the project, newest first. */
export default function TestsPage() {
  const { api, key, project, path } = useProject();
  const search = useSearch({ from: ROUTE });
  useTitle("Tests", project.name);
  const { tagId, cursor: _, ...filters } = search;
  const lines = { ...filters, limit: 50 };
  const tests = usePolled({
    key: [key, "tests", search], keep: true, read: (headers, signal) => readTests(api, search, headers, signal),
  });
  const rows = tests.data?.rows ?? [];
  const filtered = Boolean(search.type || search.tagId || search.search || search.page);
  const again = () => void tests.refetch();
  const empty = tests.data && rows.length === 0 && !tests.isPlaceholderData;
  return (
    <div className="page">
      <PageHead
        title="Tests"
        actions={
          hasRole(project.role, "project_editor") && (rows.length > 0 || filtered)
          && <Link className="btn btn-primary" to={path("tests", "new")}><Icon name="plus" />Create test</Link>
        }
      />
      <section className="section" aria-label={`Tests of ${project.name}`}>
        {!(empty && !filtered) && <Filters key={`${search.search}`} />}
        {tests.error && tests.data && <LoadError what="Changes" error={tests.error} retry={again} />}
        {tests.error && !tests.data && <PageError thing="This list" what="The tests" error={tests.error} retry={again} />}
        {!tests.data && !tests.error && <Skeleton name="tests" />}
        {rows.length > 0 && <TestTable rows={rows} foot={<ListFoot things="Tests" page={tests.data!} />} />}
        {empty && <div className="panel"><NoTests filtered={filtered} /></div>}
      </section>
      {tests.data && (
        <AsApi
          views={[{
            request: { method: "GET", path: "/api/tests", query: { ...lines, tagId } },
            svc: svcLine(["test", "list"], { ...lines, tag: tagId }),
          }]}
        />
      )}
    </div>
  );
}
