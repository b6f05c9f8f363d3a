import { useMutation } from "@tanstack/react-query";
import { useBlocker, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { take } from "../../../api/services";
import { same } from "../../../parts/differences";
import { toast } from "../../../parts/toasts";
import { useZone } from "../../../parts/use_clock";
import type { JsonObject } from "../../monitors/form/merge_patch";
import { useProject } from "../../project_context";
import { usePagesChanged } from "../use_page_acts";
import { type IncidentValues, incidentBody, incidentErrors } from "./incident_values";

/** The form of an incident that starts with these values, and its publication on the page. */
export function useNewIncident(pageId: string, startValues: () => IncidentValues) {
  const { api, path } = useProject();
  const navigate = useNavigate();
  const changedLists = usePagesChanged();
  const [zone] = useState(useZone());
  const [start] = useState(startValues);
  const [values, setValues] = useState(start);
  const [tried, setTried] = useState(false);
  const create = useMutation({
    mutationFn: (body: JsonObject) => take(api.POST("/api/status-pages/{id}/incidents", {
      params: { path: { id: pageId } }, body: body as never,
    })),
    onSuccess: async (made) => {
      toast({ text: `Incident ${made.name} was published.` });
      void changedLists();
      await navigate({ to: path("status-pages", pageId, "incidents", made.id), ignoreBlocker: true });
    },
  });
  const changed = !create.isSuccess && !same(values, start);
  useBlocker({
    shouldBlockFn: () => changed && !window.confirm("Leave the form? What you typed is lost."), enableBeforeUnload: () => changed,
  });
  const body = incidentBody(values, zone);
  const busy = create.isPending;
  return {
    values, zone, body, changed, busy, refusal: create.error, errors: tried ? incidentErrors(values, zone, new Date()) : [],
    set: (part: Partial<IncidentValues>) => {
      // A request that is under way stays known, so that nobody publishes twice.
      if (!busy) create.reset();
      setValues((old) => ({ ...old, ...part }));
    },
    submit: () => {
      if (busy) return;
      setTried(true);
      if (incidentErrors(values, zone, new Date()).length === 0) create.mutate(body);
    },
  };
}
