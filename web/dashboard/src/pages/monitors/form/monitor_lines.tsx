import type { ApiRequest } from "../../../parts/api_lines";
import { type ApiView, AsApi } from "../../../parts/as_api";
import type { MonitorType } from "../monitor_queries";
import type { JsonObject } from "./merge_patch";
import { typedSecrets } from "./secrets";

const sending = (method: ApiRequest["method"], path: string, body: JsonObject, more: Partial<ApiRequest> = {}): ApiRequest =>
  ({ method, path, body, secrets: typedSecrets(body), ...more });

/** The lines that test and create what the form holds. */
export function MonitorLines({ type, body }: { type: MonitorType; body: JsonObject }) {
  const { alertConfig: _, dependsOn: __, ...checked } = body;
  const views: ApiView[] = [{ word: "Create this monitor", request: sending("POST", "/api/monitors", { ...body, type }) }];
  if (type !== "heartbeat") {
    views.push({ word: "Test it without saving", request: sending("POST", "/api/monitors/test", { ...checked, type }) });
  }
  return <AsApi views={views} />;
}

interface ChangeProps {
  id: string;
  etag: string;
  patch: JsonObject;
  /** Ids of the tags, if they have changed. */
  tags?: readonly string[];
}

/** The lines that save the changes of a monitor, unless somebody else saved first. */
export function MonitorChangeLines({ id, etag, patch, tags }: ChangeProps) {
  const path = `/api/monitors/${id}`;
  const views: ApiView[] = [];
  if (Object.keys(patch).length) {
    views.push({ word: "Save the changes", request: sending("PATCH", path, patch, { headers: { "If-Match": etag } }) });
  }
  if (tags) {
    const body = { tags: tags.map((one) => ({ id: one })) };
    views.push({ word: "Set its tags", request: { method: "PUT", path: `${path}/tags`, body } });
  }
  return views.length > 0 && <AsApi views={views} />;
}
