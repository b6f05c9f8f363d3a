import { useQuery } from "@tanstack/react-query";
import type { DashboardSchemas } from "../../../api/client";
import { BACKGROUND, account, anonymous, forgetEverything, tabs, take } from "./services";

export type Account = DashboardSchemas["Account"];
export type OwnProject = DashboardSchemas["OwnProject"];

export const ACCOUNT_KEY = ["me"];

/** The account of the session. Without a session it fails with 401, and no dialog opens. */
export const accountQuery = {
  queryKey: ACCOUNT_KEY,
  queryFn: ({ signal }: { signal: AbortSignal }) => take(anonymous.GET("/dashboard/v1/me", { signal })),
  staleTime: 60_000,
  // It is read before the first page is drawn, which then shows the error of that read.
  retryOnMount: false,
};

export function useAccount(): Account {
  const { data } = useQuery(accountQuery);
  if (!data) throw new Error("The page is shown to signed-in users only.");
  return data;
}

/** Returns the own projects that match, the newest first. */
export const projectsQuery = (search?: string) => ({
  queryKey: ["projects", search ?? ""],
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (await take(account.GET("/dashboard/v1/projects", {
      signal, params: { query: { limit: 100, ...(search ? { search } : {}) } },
    }))).data,
  staleTime: 30_000,
});

/** Returns the project with these names, or null if the user has no role in it. */
export const projectQuery = (organization: string, project: string) => ({
  queryKey: ["project", organization, project],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<OwnProject | null> => {
    const page = await take(account.GET("/dashboard/v1/projects", {
      signal, params: { query: { limit: 100, search: `${organization}/${project}` } },
    }));
    return page.data.find((one) => one.organization.slug === organization && one.slug === project) ?? null;
  },
  staleTime: 60_000,
});

/** The user whose data this tab holds. */
let holder: string | undefined;

/** Ends the session here and in all other tabs. */
export async function signOut(): Promise<void> {
  await take(account.POST("/dashboard/v1/sign-out", { headers: BACKGROUND }));
  tabs.send({ type: "signed-out" });
  leave();
}

/** Shows the sign-in page and forgets what this tab has read. */
export function leave(): void {
  forgetEverything();
  // A new document leaves no view of the old session in memory.
  location.replace("/app/sign-in");
}

/** Remembers whose data this tab holds, so that a tab of another user does not show what the earlier one has read. */
export function signedIn(userId: string, { tell }: { tell: boolean }): void {
  if (holder !== undefined && holder !== userId) forgetEverything();
  holder = userId;
  if (tell) tabs.send({ type: "signed-in", userId });
}
