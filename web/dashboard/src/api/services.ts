import { QueryClient, notifyManager } from "@tanstack/react-query";
import { type DashboardClient, createDashboardClient, createPublicClient } from "../../../api/client";
import { EarlyReads, startedReads } from "./early_reads";
import { type ApiError, errorOf } from "./errors";
import { LiveReads } from "./live_reads";
import { LostStores, STORES, type Store } from "./lost_stores";
import { SignInPrompt } from "./sign_in_prompt";
import { Tabs } from "./tabs";
import { Transport } from "./transport";
import { Version } from "./version";
import { Visibility } from "./visibility";

/** The services of this tab. Each exists once. */
export const prompt = new SignInPrompt();
export const visibility = new Visibility(document);
export const lostStores: LostStores = new LostStores({
  ask: readLostStores, isVisible: () => visibility.visible,
  onBack: () => void queries.refetchQueries({ type: "active", predicate: (query) => query.state.error !== null }),
});
export const transport = new Transport({
  signIn: prompt.ask, fetch: new EarlyReads(startedReads()).fetch, onUnavailable: lostStores.suspect,
});
export const tabs = new Tabs();

export const liveReads = new LiveReads();
export const version = new Version();
version.watchForms(document);

// A browser opens six connections to an origin for all tabs, so streams of hidden tabs would block the visible one.
const announce = (): void => tabs.send({ type: "visible" });
tabs.listen((message) => message.type === "visible" && visibility.yield());
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && announce());
if (document.visibilityState === "visible") announce();

// The second click of a double click has to find the act under way. The default scheduler notifies the page only by a timer, which the
// browser may run after that click.
notifyManager.setScheduler(queueMicrotask);

/** The transport repeats what may be repeated, so queries do not. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false, staleTime: 5_000, gcTime: 300_000, networkMode: "always",
      refetchOnWindowFocus: false, refetchOnReconnect: false,
    },
    mutations: { retry: false, networkMode: "always" },
  },
});

/** For operations of the user and of organisations. */
export const account: DashboardClient = createDashboardClient({ origin: "", send: transport.send });
/** For pages that people see before they sign in. */
export const anonymous: DashboardClient = createDashboardClient({ origin: "", send: transport.withoutSignIn().send });

export const publicClient = (project: string) => createPublicClient({ origin: "", send: transport.send, project });
export const projectClient = (project: string) => createDashboardClient({ origin: "", send: transport.send, project });

async function readLostStores(): Promise<readonly Store[]> {
  const client = createPublicClient({ origin: "", send: transport.withoutSignIn().send });
  const { dependencies } = await take(client.GET("/api/health", { headers: BACKGROUND }));
  return STORES.filter((one) => dependencies[one] === "down");
}

/** A request that nobody caused by hand; it does not prolong the session. */
export const BACKGROUND = { "Svc-Background": "1" } as const;

/** Reads the whole answer, for members that its ETag leaves out, such as the last use of a token. */
export const WHOLE = { "Cache-Control": "no-cache" } as const;

interface Result<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** Returns the body of an answer, or throws its ApiError. */
export async function take<T>(result: Promise<Result<T>>): Promise<T> {
  return (await takeWithHeaders(result)).data;
}

export async function takeWithHeaders<T>(result: Promise<Result<T>>): Promise<{ data: T; headers: Headers }> {
  const { data, error, response } = await result;
  if (!response.ok) throw errorOf(response, error) satisfies ApiError;
  return { data: data as T, headers: response.headers };
}

/** Forgets everything that the session has read. */
export function forgetEverything(): void {
  queries.clear();
  transport.bodies.clear();
}
