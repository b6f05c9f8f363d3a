import { type ApiRequest, svcLine } from "../../parts/api_lines";
import { type ApiView, AsApi } from "../../parts/as_api";
import type { JsonObject } from "../monitors/form/merge_patch";
import { typedSecrets } from "../monitors/form/secrets";
import type { ProviderType } from "./provider_queries";

const PATH = "/api/notification-providers";

const sending = (method: ApiRequest["method"], path: string, body: JsonObject, more: Partial<ApiRequest> = {}): ApiRequest =>
  ({ method, path, body, secrets: typedSecrets(body), ...more });

/** The lines that test and create what the form holds. */
export function ProviderLines({ type, body }: { type: ProviderType; body: JsonObject }) {
  const whole = { ...body, type };
  return (
    <AsApi
      views={[
        { word: "Create this provider", request: sending("POST", PATH, whole) },
        { word: "Send a test message without saving", request: sending("POST", `${PATH}/test`, whole) },
      ]}
    />
  );
}

interface StoredProps {
  id: string;
  /** For editors: the version that the form started from, and what it has changed. */
  edit?: { etag: string; patch: JsonObject };
}

/** The lines that show and test a stored provider, and save its changes unless somebody else saved first. */
export function StoredProviderLines({ id, edit }: StoredProps) {
  const path = `${PATH}/${id}`;
  const views: ApiView[] = [
    { word: "Show the provider", request: { method: "GET", path }, svc: svcLine(["provider", "get", id]) },
    { word: "Show who uses it", request: { method: "GET", path: `${path}/usage` } },
  ];
  if (edit) {
    views.push({ word: "Send a test message", request: { method: "POST", path: `${path}/test` }, svc: svcLine(["provider", "test", id]) });
  }
  if (edit && Object.keys(edit.patch).length) {
    views.unshift({ word: "Save the changes", request: sending("PATCH", path, edit.patch, { headers: { "If-Match": edit.etag } }) });
  }
  return <AsApi views={views} />;
}
