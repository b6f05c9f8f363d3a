import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { take } from "../../api/services";
import { Crumbs, PageHead, useCurrentInView } from "../../parts/page";
import { toast } from "../../parts/toasts";
import { useTitle } from "../../parts/use_title";
import type { JsonObject } from "../monitors/form/merge_patch";
import { NeedsEditor } from "../needs_project_role";
import { useProject } from "../project_context";
import { ProviderForm } from "./provider_form";
import { type ProviderValues, providerBody, providerValues } from "./provider_form_values";
import { ProviderLines } from "./provider_lines";
import type { Provider } from "./provider_queries";
import { PROVIDER_TYPES } from "./provider_words";
import { SigningSecret } from "./signing_secret";

/** Values for all types, so that what was typed stays when another type is looked at. */
function allTypes(): ProviderValues {
  const all = PROVIDER_TYPES.map(([type]) => providerValues(type, {}));
  return { ...all[0]!, texts: Object.assign({}, ...all.map((one) => one.texts)) };
}

function NewProvider() {
  const { api, key, path, project } = useProject();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { type = "email" } = useSearch({ from: "/signed-in/$org/$project/providers/new" });
  const [start] = useState(allTypes);
  const [values, setValues] = useState(start);
  const [made, setMade] = useState<Provider>();
  const create = useMutation({
    mutationFn: (body: JsonObject) => take(api.POST("/api/notification-providers", { body: { ...body, type } as never })),
    gcTime: 0,
    onSuccess: async (provider) => {
      toast({ text: `Provider ${provider.name} was created.` });
      void client.invalidateQueries({ queryKey: [key, "providers"] });
      if (provider.signingSecret) setMade(provider);
      else await navigate({ to: path("providers", provider.id), ignoreBlocker: true });
    },
  });
  const types = useCurrentInView(type);
  useTitle("Create provider", project.name);
  if (made?.signingSecret) return <SigningSecret id={made.id} name={made.name} secret={made.signingSecret} renewed={false} />;
  const changed = !create.isSuccess && JSON.stringify(values) !== JSON.stringify(start);
  return (
    <div className="page page-narrow">
      <Crumbs crumbs={[{ word: "Providers", to: path("providers") }, { word: "Create provider" }]} />
      <PageHead title="Create provider" />
      <nav className="seg" ref={types} aria-label="Type of the provider">
        {PROVIDER_TYPES.map(([one, word]) => (
          <Link
            key={one} to="." search={{ type: one === "email" ? undefined : one }} replace resetScroll={false}
            activeOptions={{ exact: true, includeSearch: true }} aria-current={one === type ? "page" : undefined}
            onClick={() => create.reset()}
          >
            {word}
          </Link>
        ))}
      </nav>
      <ProviderForm
        key={type} type={type} values={values} setValues={setValues} save={(body) => create.mutate(body)} saving={create.isPending}
        error={create.error} clearError={create.reset} changed={changed} verb="Create provider" failure="The provider was not created"
        cancel={path("providers")}
      />
      {changed && <ProviderLines type={type} body={providerBody(type, values).body} />}
    </div>
  );
}

export default function NewProviderPage() {
  return <NeedsEditor><NewProvider /></NeedsEditor>;
}
