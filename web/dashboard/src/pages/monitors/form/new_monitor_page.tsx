import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { take } from "../../../api/services";
import { Crumbs, PageHead, useCurrentInView } from "../../../parts/page";
import { toast, warn } from "../../../parts/toasts";
import { useTitle } from "../../../parts/use_title";
import { useProject } from "../../project_context";
import { TYPES } from "../monitor_states";
import type { JsonObject } from "./merge_patch";
import { MonitorForm } from "./monitor_form";
import { MonitorLines } from "./monitor_lines";
import { NeedsEditor } from "../../needs_project_role";
import { fieldsOf } from "./fields";
import { type FormValues, startValues, toBody } from "./values";

const ROUTE = "/signed-in/$org/$project/monitors/new";

/** Keeps what was typed for a type and adds the defaults of the others. */
function allTypes(): FormValues {
  const all = TYPES.map(([type]) => startValues(type));
  return {
    ...all[0]!, texts: Object.assign({}, ...all.map((one) => one.texts)), flags: Object.assign({}, ...all.map((one) => one.flags)),
  };
}

function NewMonitor() {
  const { api, key, path, project } = useProject();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { type = "website" } = useSearch({ from: ROUTE });
  const [start] = useState(allTypes);
  const [values, setValues] = useState(start);
  const create = useMutation({
    mutationFn: async (body: JsonObject) => {
      const made = await take(api.POST("/api/monitors", { body: { ...body, type } as never }));
      if (values.tags.length) {
        await take(api.PUT("/api/monitors/{id}/tags", {
          params: { path: { id: made.id } }, body: { tags: values.tags.map((id) => ({ id })) },
        })).catch((error: Error) => warn(`The monitor has no tags. ${error.message}`));
      }
      return made;
    },
    onSuccess: async (made) => {
      toast({ text: `Monitor ${made.name} was created.` });
      void client.invalidateQueries({ queryKey: [key, "monitors"] });
      await navigate({ to: path("monitors", made.id), ignoreBlocker: true });
    },
  });
  const shown = new Set(fieldsOf(type).map((one) => one.pointer));
  const changed = !create.isSuccess && JSON.stringify(values) !== JSON.stringify(start) && shown.size > 0;
  const types = useCurrentInView(type);
  useTitle("Create monitor", project.name);
  return (
    <div className="page">
      <Crumbs crumbs={[{ word: "Monitors", to: path("monitors") }, { word: "Create monitor" }]} />
      <PageHead
        title="Create monitor"
        actions={
          <nav className="seg" ref={types} aria-label="Type of the monitor">
            {TYPES.map(([one, word]) => (
              <Link
                key={one} to="." search={{ type: one === "website" ? undefined : one }} replace resetScroll={false}
                activeOptions={{ exact: true, includeSearch: true }}
                aria-current={one === type ? "page" : undefined} onClick={() => create.reset()}
              >
                {word}
              </Link>
            ))}
          </nav>
        }
      />
      <MonitorForm
        key={type} type={type} values={values} setValues={setValues} save={(body) => create.mutate(body)} saving={create.isPending}
        error={create.error} clearError={create.reset} changed={changed} verb="Create monitor" failure="The monitor was not created"
        cancel={path("monitors")}
      />
      {changed && <MonitorLines type={type} body={toBody(type, values).body} />}
    </div>
  );
}

export default function NewMonitorPage() {
  return <NeedsEditor><NewMonitor /></NeedsEditor>;
}
