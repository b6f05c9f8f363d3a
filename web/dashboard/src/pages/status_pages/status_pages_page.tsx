import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { usePolled } from "../../api/use_polled";
import { svcLine } from "../../parts/api_lines";
import { AsApi } from "../../parts/as_api";
import { CardTable } from "../../parts/card_table";
import { CommandLine } from "../../parts/copy";
import { Blank, LoadError, PageError, Skeleton } from "../../parts/feedback";
import { SelectField } from "../../parts/field";
import { Icon, State } from "../../parts/icon";
import { ListFoot } from "../../parts/list_foot";
import { PageHead } from "../../parts/page";
import { SearchForm } from "../../parts/search_form";
import { hasRole } from "../../parts/states";
import { Moment, ZoneName } from "../../parts/time";
import { useTitle } from "../../parts/use_title";
import { useProject } from "../project_context";
import { ArchivePage, DeletePage } from "./page_dialogs";
import { type PageAct, PageMenu } from "./page_menu";
import { type Publication, type StatusPage, readPages } from "./page_queries";
import { PUBLICATIONS, VISIBILITIES, componentState, pageAddress, publicationState, rangesWords, shownAddress } from "./page_states";

const ROUTE = "/signed-in/$org/$project/status-pages";
const PAGE = 50;
const STATUSES = [["", "Any status"], ...Object.entries(PUBLICATIONS).map(([key, { word }]) => [key, word] as const)] as const;

function NoPages({ filtered }: { filtered: boolean }) {
  const { project, path } = useProject();
  if (filtered) {
    return (
      <Blank icon="broadcast" title="No status page matches">
        <p>Other words or another status may have one.</p>
        <div className="row"><Link className="btn" to={path("status-pages")}>Show all status pages</Link></div>
      </Blank>
    );
  }
  return (
    <Blank icon="broadcast" title="No status page yet">
      <p>A status page tells your visitors how your services are, and what you do about it.</p>
      {hasRole(project.role, "project_editor") && (
        <>
          <div className="row">
            <Link className="btn btn-primary" to={path("status-pages", "new")}><Icon name="plus" />Create status page</Link>
          </div>
          <p className="small faint">Or from a shell:</p>
          <CommandLine command={svcLine(["page", "create", project.slug], { name: project.name, status: "published" })} />
        </>
      )}
    </Blank>
  );
}

function PageRow({ page, ask }: { page: StatusPage; ask: (act: PageAct) => void }) {
  const { path } = useProject();
  const ranges = rangesWords(page);
  return (
    <tr role="row">
      <td className="cell-state" role="cell"><State state={componentState(page.componentStatus)} /></td>
      <th scope="row" role="rowheader" className="cell-grow">
        <div className="cell-name">
          <Link className="clip" to={path("status-pages", page.id)} dir="auto">{page.name}</Link>
          <span className="cell-sub clip">{shownAddress(page)}</span>
        </div>
      </th>
      <td data-label="Publication" role="cell"><State state={publicationState(page.status)} /></td>
      <td data-label="Visibility" role="cell">
        <div className="cell-name">
          <span>{VISIBILITIES[page.visibility]}</span>
          {ranges && <span className="cell-sub">{ranges}</span>}
        </div>
      </td>
      <td data-label="Evidence" role="cell"><Moment value={page.evidenceAt} /></td>
      <td className="cell-actions" role="cell">
        {page.status === "published" && (
          <>
            <a
              className="btn btn-s btn-quiet btn-icon" href={pageAddress(location.origin, page)} aria-label={`View ${page.name}`}
              target="_blank" rel="noopener noreferrer"
            >
              <Icon name="external" />
            </a>{" "}
          </>
        )}
        <PageMenu page={page} small ask={ask} />
      </td>
    </tr>
  );
}

function Filters({ status, search }: { status?: Publication; search?: string }) {
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<string>(status ?? "");
  const apply = (words: string | undefined) =>
    void navigate({ to: ".", search: { ...(chosen ? { status: chosen as Publication } : {}), ...(words ? { search: words } : {}) } });
  return (
    <SearchForm things="status pages" placeholder="Search by name or address" most={255} value={search} onSearch={apply}>
      <SelectField label="Status" name="status" hideLabel value={chosen} options={STATUSES} onChange={setChosen} />
    </SearchForm>
  );
}

export default function StatusPagesPage() {
  const { api, key, path, project } = useProject();
  const { status, search, page, cursor } = useSearch({ from: ROUTE });
  const [asked, setAsked] = useState<{ act: PageAct; page: StatusPage }>();
  useTitle("Status pages", project.name);
  const filters = { ...(status ? { status } : {}), ...(search ? { search } : {}) };
  const query = { ...filters, ...(page ? { page } : {}), ...(cursor ? { cursor } : {}) };
  const pages = usePolled({
    key: [key, "status-pages", query], keep: true, read: (headers, signal) => readPages(api, query, headers, signal, PAGE),
  });
  const again = () => void pages.refetch();
  const close = () => setAsked(undefined);
  return (
    <div className="page">
      <PageHead
        title="Status pages"
        actions={hasRole(project.role, "project_editor") && (
          <Link className="btn btn-primary" to={path("status-pages", "new")}><Icon name="plus" />Create status page</Link>
        )}
      />
      <section className="section" aria-label={`Status pages of ${project.name}`}>
        <Filters key={`${status ?? ""} ${search ?? ""}`} status={status} search={search} />
        {pages.error && pages.data && <LoadError what="Changes" error={pages.error} retry={again} />}
        {!pages.data && (pages.error
          ? <PageError thing="This list" what="The status pages" error={pages.error} retry={again} />
          : <Skeleton name="status pages" />)}
        {pages.data && pages.data.rows.length === 0 && <div className="panel"><NoPages filtered={Boolean(status || search)} /></div>}
        {pages.data && pages.data.rows.length > 0 && (
          <CardTable
            caption={`Status pages of ${project.name}`} foot={<ListFoot things="Status pages" page={pages.data} />}
            heads={[
              ["shows", "Shows"], ["page", "Page"], ["publication", "Publication"], ["visibility", "Visibility"],
              ["evidence", <>Evidence, <ZoneName /></>],
            ]}
          >
            {pages.data.rows.map((one) => <PageRow key={one.id} page={one} ask={(act) => setAsked({ act, page: one })} />)}
          </CardTable>
        )}
      </section>
      <AsApi
        views={[{
          request: { method: "GET", path: "/api/status-pages", query: { ...filters, limit: PAGE, page } },
          svc: svcLine(["page", "list"], { ...filters, limit: PAGE, page }),
        }]}
      />
      {asked?.act === "archive" && <ArchivePage page={asked.page} onClose={close} />}
      {asked?.act === "delete" && <DeletePage page={asked.page} onClose={close} />}
    </div>
  );
}
