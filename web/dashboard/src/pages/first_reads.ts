import { accountQuery, projectQuery } from "../api/account";
import { queries } from "../api/services";
import { sleep } from "../api/sleep";
import { namedProject } from "./page_address";

/** Milliseconds after which the page is shown without the names of its project. */
const LONGEST_WAIT = 200;

/**
 * Reads what the frame of the first page shows. boot.js has asked for it while the script was loaded, so the frame is drawn once
 * with everything in it, not first without its project. Without a session only the account is read.
 */
export async function readFirst(pathname: string): Promise<void> {
  await queries.prefetchQuery(accountQuery);
  const names = namedProject(pathname);
  if (!names || !queries.getQueryData(accountQuery.queryKey)) return;
  await Promise.race([queries.prefetchQuery(projectQuery(...names)), sleep(LONGEST_WAIT)]);
}
