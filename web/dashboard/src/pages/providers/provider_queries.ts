import { useQuery } from "@tanstack/react-query";
import type { PublicClient, PublicSchemas } from "../../../../api/client";
import { WHOLE, take, takeWithHeaders } from "../../api/services";
import { useProject } from "../project_context";
import { list } from "../project_queries";

export type Provider = PublicSchemas["NotificationProvider"];
export type ProviderType = PublicSchemas["NotificationProviderType"];
export type ProviderTest = PublicSchemas["NotificationProviderTest"];

interface Place {
  page?: number;
  cursor?: string;
}

export const readProviders = (api: PublicClient, page: Place, headers: Record<string, string>, signal: AbortSignal, limit = 100) =>
  list<Provider>(api.GET("/api/notification-providers", {
    params: { query: { limit, ...page } }, headers: { ...headers, ...WHOLE }, signal,
  }));

/** Returns the provider with its ETag, for a form that saves it. */
export async function readProvider(api: PublicClient, id: string, signal?: AbortSignal): Promise<{ provider: Provider; etag: string }> {
  const answer = api.GET("/api/notification-providers/{id}", { params: { path: { id } }, headers: WHOLE, signal });
  const { data, headers } = await takeWithHeaders<Provider>(answer);
  return { provider: data, etag: headers.get("ETag") ?? "" };
}

/** The project's providers, for choices and names. */
export function useProviders(enabled = true) {
  const { api, key } = useProject();
  return useQuery({
    queryKey: [key, "providers", "choice"], enabled, queryFn: ({ signal }) => readProviders(api, {}, {}, signal), staleTime: 60_000,
    // A form without a choice leads to another tab that creates the first provider.
    refetchOnWindowFocus: (query) => (query.state.data?.rows.length === 0 ? "always" : false),
  });
}

/** Who uses a provider. A test message does not change it, so it is not among the queries that one makes stale. */
export function useProviderUsage(id: string) {
  const { api, key } = useProject();
  return useQuery({
    queryKey: [key, "provider-usage", id], staleTime: 60_000,
    queryFn: ({ signal }) => take(api.GET("/api/notification-providers/{id}/usage", { params: { path: { id } }, signal })),
  });
}
