import { usePolled } from "../../api/use_polled";
import { useProject } from "../project_context";
import { readTags } from "./tag_queries";

/** The tags of the project, for filters and forms. They are few, so that a page reads all of them. */
export function useTags() {
  const { api, key } = useProject();
  return usePolled({ key: [key, "tags", "choice"], read: (headers, signal) => readTags(api, headers, signal) });
}
