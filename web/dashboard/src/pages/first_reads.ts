import { accountQuery, projectQuery } from "../api/account";
import { allReadsStarted } from "../api/early_reads";
import { queries } from "../api/services";
import { sleep } from "../api/sleep";
import { type PolledRead, queryOf } from "../api/use_polled";
import { openOutagesRead, overviewRead } from "./overview/overview_query";
import { namedProject } from "./page_address";
import { jobsRead, runsRead } from "./project_queries";

/** Milliseconds after which the page is shown without what it waits for. */
const LONGEST_WAIT = 200;

/** The same for the account, without which there is no page to show, only the sentence that the service does not answer. */
const LONGEST_ACCOUNT_WAIT = 1_000;

const jobs = (project: string) => [jobsRead(project, {})];

/** What the pages of the first script show, by the word of the page in the address. */
const READS: Readonly<Record<string, (project: string) => readonly PolledRead<unknown>[]>> = {
  "": jobs,
  jobs,
  overview: (project) => [overviewRead(project), openOutagesRead(project)],
  runs: (project) => [runsRead(project, {})],
};

async function readPage(names: readonly [organization: string, project: string], { pathname, search }: URL): Promise<void> {
  const project = await queries.fetchQuery(projectQuery(...names)).catch(() => null);
  await allReadsStarted();
  const [page = "", thing] = pathname.split("/").slice(4);
  if (!project || thing || search || !Object.hasOwn(READS, page)) return;
  await Promise.all(READS[page]!(project.id).map((read) => queries.prefetchQuery(queryOf(read))));
}

/**
 * Reads what the first page shows. boot.js has asked for it while the script was loaded, so the page is drawn once with everything
 * in it, not first without its project and its rows. Without a session only the account is read.
 */
export async function readFirst(address: URL): Promise<void> {
  await Promise.race([queries.prefetchQuery(accountQuery), sleep(LONGEST_ACCOUNT_WAIT)]);
  const names = namedProject(address.pathname);
  if (!names || !queries.getQueryData(accountQuery.queryKey)) return;
  await Promise.race([readPage(names, address), sleep(LONGEST_WAIT)]);
}
