import { BACKGROUND } from "../../api/services";
import { SHOWN, SearchSelect } from "../../parts/search_select";
import { useProject } from "../project_context";
import { readJobs } from "../project_queries";

/** Finds the job whose runs are shown, among all jobs of the project. */
export default function JobFilter({ onChoose }: { onChoose: (jobId: string) => void }) {
  const { api, key } = useProject();
  return (
    <SearchSelect
      label="Job" name="job" hideLabel placeholder="Any job" queryKey={[key, "jobs", "filter"]} onChoose={(job) => onChoose(job.id)}
      search={async (words, signal) => {
        const page = await readJobs(api, { search: words || undefined, sort: "name" }, BACKGROUND, signal, SHOWN);
        return { rows: page.rows.map((one) => ({ id: one.id, word: one.name })), more: Boolean(page.next) };
      }}
    />
  );
}
