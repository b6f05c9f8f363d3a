import { useQuery } from "@tanstack/react-query";
import { useProject } from "../project_context";
import { readTags } from "./tag_queries";

/** The tags of the project, for filters and forms. They are few, so that a page reads all of them. */
export function useTags() {
  const { api, key } = useProject();
  return useQuery({ queryKey: [key, "tags", "choice"], queryFn: ({ signal }) => readTags(api, {}, signal), staleTime: 60_000 });
}
