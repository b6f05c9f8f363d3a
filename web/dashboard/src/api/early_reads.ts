/** A read that boot.js has started. `project` is empty for reads of the user. */
export interface StartedRead {
  /** Path and query. */
  address: string;
  project: string;
  /** Undefined if the service did not answer. */
  answer: Promise<Response | undefined>;
  /** Milliseconds of the page's clock. */
  startedAt: number;
}

/** An older answer may show what has changed since; milliseconds. */
const LONGEST_AGE = 10_000;

/** Returns an address whose parameters are in the order of their names, so that equal reads have equal texts. */
function ordered(address: string): string {
  const { pathname, searchParams } = new URL(address, "https://page.invalid");
  searchParams.sort();
  return `${pathname}?${searchParams}`;
}

/** The answers to reads that boot.js has started while the script of the pages was loaded. Each is used once; one object for the tab. */
export class EarlyReads {
  /** boot.js may add reads later. */
  constructor(private readonly reads: StartedRead[], private readonly now: () => number = () => performance.now()) {}

  /** Returns the answer to a read of the same address and project, or undefined if none was started in time. */
  take(request: Request): Promise<Response | undefined> | undefined {
    if (request.method !== "GET" || request.headers.has("If-None-Match")) return undefined;
    const project = request.headers.get("Svc-Project") ?? "";
    const address = ordered(request.url);
    const at = this.reads.findIndex((one) => one.project === project && ordered(one.address) === address);
    const [found] = at < 0 ? [] : this.reads.splice(at, 1);
    return found && this.now() - found.startedAt < LONGEST_AGE ? found.answer : undefined;
  }

  /** Fetches, unless an early read has the answer. */
  readonly fetch = async (request: Request): Promise<Response> => {
    const answer = await this.take(request);
    request.signal.throwIfAborted();
    return answer ?? fetch(request);
  };
}

interface Started {
  svcReads?: StartedRead[];
  svcReadsStarted?: Promise<void>;
}

/** Returns the reads of this document. A boot.js of an earlier version has started none. */
export const startedReads = (): StartedRead[] => (globalThis as Started).svcReads ?? [];

/** Resolves when boot.js starts no further read. It starts those of a project when the project has been found. */
export const allReadsStarted = async (): Promise<void> => (globalThis as Started).svcReadsStarted;
