import { type ApiRequest, svcLine } from "../../parts/api_lines";
import { AsApi } from "../../parts/as_api";
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
  etag: string;
  /** What the form has changed. */
  patch: JsonObject;
}

/** The lines that show and test a stored provider, and save its changes unless somebody else saved first. */
export function StoredProviderLines({ id, etag, patch }: StoredProps) {
  const path = `${PATH}/${id}`;
  const save = { word: "Save the changes", request: sending("PATCH", path, patch, { headers: { "If-Match": etag } }) };
  return (
    <AsApi
      views={[
        ...(Object.keys(patch).length ? [save] : []),
        { word: "Show the provider", request: { method: "GET", path }, svc: svcLine(["provider", "get", id]) },
        { word: "Send a test message", request: { method: "POST", path: `${path}/test` }, svc: svcLine(["provider", "test", id]) },
        { word: "Show who uses it", request: { method: "GET", path: `${path}/usage` } },
      ]}
    />
  );
}
