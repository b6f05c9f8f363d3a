import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { BACKGROUND } from "../../api/services";
import { usePolled } from "../../api/use_polled";
import { Blank, LoadError, PageError, Skeleton } from "../../parts/feedback";
import { ListFoot, type ListPage } from "../../parts/list_foot";
import { PageHead } from "../../parts/page";
import { findRows, hasWords, searchPages } from "../../parts/search_pages";
import { SHOWN } from "../../parts/search_select";
import { roleWord } from "../../parts/states";
import { type PageState, queryText } from "../../parts/url_state";
import { useZone } from "../../parts/use_clock";
import { useTitle } from "../../parts/use_title";
import { AuditFilters } from "./audit_filters";
import { AuditTable } from "./audit_table";
import { type AuditEntry, type AuditFilter, type AuditQuery, auditFilters, unnamedMembers } from "./audit_words";

interface Person {
  id: string;
  name: string;
  email: string;
}

type RequestHeaders = Record<string, string>;

/** The organisation or project whose changes a page lists. */
export interface AuditPlace {
  /** Its name. */
  name: string;
  lead: string;
  /** The start of the keys of its queries. */
  key: string;
  /** The address of the list without filters. */
  listPath: string;
  /** The role of the reader. */
  role: string;
  /** Reads one page with the filters of the API. */
  read: (query: PageState & AuditFilter, headers: RequestHeaders, signal: AbortSignal) => Promise<ListPage<AuditEntry>>;
  /** Reads the people who may be authors. */
  readPeople: (page: PageState, headers: RequestHeaders, signal: AbortSignal) => Promise<ListPage<Person>>;
}

interface AuditViewProps {
  place: AuditPlace;
  search: AuditQuery & PageState;
  apply: (query: AuditQuery) => void;
  children?: ReactNode;
}

const findPeople = (place: AuditPlace, ids: readonly string[], signal: AbortSignal) =>
  findRows((page) => place.readPeople(page, BACKGROUND, signal), ids);

function useActors(place: AuditPlace, actorId: string | undefined) {
  const actor = useQuery({
    queryKey: [place.key, "actor", actorId], enabled: actorId !== undefined, staleTime: 300_000,
    queryFn: async ({ signal }) => (await findPeople(place, [actorId!], signal))[0]?.name ?? null,
  });
  const searchActors = async (words: string, signal: AbortSignal) => {
    const found = await searchPages(
      (page) => place.readPeople(page, BACKGROUND, signal), (one) => hasWords(words, one.name, one.email), SHOWN,
    );
    return { ...found, rows: found.rows.map((one) => ({ id: one.id, word: one.name, note: one.email })) };
  };
  return { actorName: actor.data ?? undefined, searchActors };
}

/** Reads the names of the members that rows are about. A member who has left since keeps the id only. */
function useMemberNames(place: AuditPlace, rows: readonly AuditEntry[]): (id: string) => string | undefined {
  const ids = unnamedMembers(rows);
  const people = useQuery({
    queryKey: [place.key, "audit-members", ids], enabled: ids.length > 0, staleTime: 300_000, placeholderData: keepPreviousData,
    queryFn: ({ signal }) => findPeople(place, ids, signal),
  });
  return (id) => people.data?.find((one) => one.id === id)?.name;
}

function NoChanges({ place, filtered }: { place: AuditPlace; filtered: boolean }) {
  if (!filtered) {
    return <Blank icon="audit" title="No changes yet"><p>Each change in {place.name} gets a row here.</p></Blank>;
  }
  return (
    <Blank icon="search" title="No change matches these filters">
      <p>An action is written as in a row, such as <code>job.updated</code>.</p>
      <div className="row"><Link className="btn" to={place.listPath}>Show all changes</Link></div>
    </Blank>
  );
}

/** The changes of an organisation or project, with filters. The page around it keeps the filters in its address. */
export function AuditView({ place, search, apply, children }: AuditViewProps) {
  const zone = useZone();
  const { page, cursor, ...query } = search;
  useTitle("Audit", place.name);
  const audit = usePolled({
    key: [place.key, "audit", search, zone], keep: true, every: 30_000,
    read: (headers, signal) => place.read({ ...auditFilters(query, zone), page, cursor }, headers, signal),
  });
  const { actorName, searchActors } = useActors(place, query.actorId);
  const nameOf = useMemberNames(place, audit.data?.rows ?? []);
  const again = () => void audit.refetch();
  const known = audit.data?.rows.find((one) => one.actor.id === query.actorId)?.actor.name;
  return (
    <div className="page">
      <PageHead title="Audit" lead={place.lead} />
      <section className="section" aria-label="Audit trail">
        <AuditFilters
          key={queryText({ ...query })} query={query} actorName={actorName ?? known} queryKey={place.key} searchActors={searchActors}
          apply={apply}
        />
        {audit.error && audit.data && <LoadError what="Changes" error={audit.error} retry={again} />}
        {audit.error && !audit.data && (
          <PageError
            thing="This list" what="The audit trail" error={audit.error} retry={again}
            roles={{ needed: "administrator", own: roleWord(place.role) }}
          />
        )}
        {(!audit.data || audit.isPlaceholderData) && !audit.error && <Skeleton name="the audit trail" />}
        {audit.data && audit.data.rows.length > 0 && (
          <AuditTable
            caption={`Audit trail of ${place.name}, newest first`} page={audit.data} nameOf={nameOf} query={query}
            foot={<ListFoot things="Rows" page={audit.data} />}
          />
        )}
        {audit.data && !audit.isPlaceholderData && audit.data.rows.length === 0 && (
          <div className="panel"><NoChanges place={place} filtered={Object.values(query).some(Boolean)} /></div>
        )}
      </section>
      {children}
    </div>
  );
}
