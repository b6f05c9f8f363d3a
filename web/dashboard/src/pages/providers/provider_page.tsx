import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError } from "../../api/errors";
import { take } from "../../api/services";
import { Conflict } from "../../parts/conflict";
import { copyId } from "../../parts/copy";
import { PageError, Skeleton } from "../../parts/feedback";
import { Badge, Icon } from "../../parts/icon";
import { ActionMenu } from "../../parts/menu";
import { Crumbs, PageHead } from "../../parts/page";
import { hasRole } from "../../parts/states";
import { toast } from "../../parts/toasts";
import { useTitle } from "../../parts/use_title";
import { differencesOf, withOwn } from "../monitors/form/conflict";
import { type JsonObject, mergePatch } from "../monitors/form/merge_patch";
import { useProject } from "../project_context";
import { DeleteProvider } from "./delete_provider";
import { ProviderAside } from "./provider_aside";
import { ProviderForm } from "./provider_form";
import {
  type ProviderValues, providerBody, providerLabel, providerMaskErrors, providerValues, standardGroup,
} from "./provider_form_values";
import { StoredProviderLines } from "./provider_lines";
import { type Provider, readProvider } from "./provider_queries";
import { TestOutcome, useProviderTest } from "./provider_test";
import { providerState, providerTypeWord } from "./provider_words";
import { SigningSecret } from "./signing_secret";

type Loaded = Awaited<ReturnType<typeof readProvider>>;

// A group time that equals the default of the type is the same as none.
const bodyOf = ({ name, enabled, groupSeconds, ratePerMinute, config, type }: Provider): JsonObject => ({
  name, enabled, config: config as JsonObject, ...(groupSeconds === standardGroup(type) ? {} : { groupSeconds }),
  ...(ratePerMinute === null ? {} : { ratePerMinute }),
});
const formOf = ({ provider }: Loaded) => providerValues(provider.type, bodyOf(provider));
const baseOf = (loaded: Loaded) => providerBody(loaded.provider.type, formOf(loaded)).body;

interface EditProps {
  first: Loaded;
  onSaved: (provider: Provider) => void;
}

function EditForm({ first, onSaved }: EditProps) {
  const { api, path } = useProject();
  const [loaded, setLoaded] = useState(first);
  const [values, setValues] = useState(() => formOf(first));
  const [theirs, setTheirs] = useState<Loaded>();
  const { id, type } = loaded.provider;
  const base = baseOf(loaded);
  const own = providerBody(type, values).body;
  const write = useMutation({
    mutationFn: async ({ patch, etag }: { patch: JsonObject; etag: string }): Promise<Provider> =>
      Object.keys(patch).length
        ? take(api.PATCH("/api/notification-providers/{id}", {
            params: { path: { id }, header: { "If-Match": etag } }, body: patch as never,
          }))
        : loaded.provider,
    gcTime: 0,
    onSuccess: onSaved,
    onError: async (error) => {
      if (error instanceof ApiError && error.status === 412) setTheirs(await readProvider(api, id));
    },
  });
  const rebase = (next: Loaded, now: ProviderValues) => {
    setLoaded(next);
    setValues(now);
    setTheirs(undefined);
    write.reset();
  };
  const differences = theirs ? differencesOf(base, baseOf(theirs), own, (pointer) => providerLabel(type, pointer)) : [];
  const keep = (given: string[]) => {
    if (!theirs) return;
    const saved = baseOf(theirs);
    const merged = withOwn(saved, own, differences, given);
    rebase(theirs, providerValues(type, merged));
    const patch = mergePatch(saved, merged);
    if (Object.keys(patch).length) write.mutate({ patch, etag: theirs.etag });
  };
  return (
    <>
      {theirs && (
        <Conflict
          thing="provider" savedAt={theirs.provider.updatedAt} differences={differences} busy={write.isPending} save={keep}
          load={() => rebase(theirs, formOf(theirs))}
        />
      )}
      <ProviderForm
        type={type} values={values} setValues={setValues} check={(body) => providerMaskErrors(base, body)} saving={write.isPending}
        signed={loaded.provider.maskedFields.includes("/config/signingSecret")} conflict={Boolean(theirs)}
        save={(body) => write.mutate({ patch: mergePatch(base, body), etag: loaded.etag })}
        error={write.error} clearError={write.reset} changed={!write.isSuccess && JSON.stringify(own) !== JSON.stringify(base)}
        verb="Save provider" failure="The provider was not saved" cancel={path("providers")}
      />
      <StoredProviderLines id={id} edit={{ etag: loaded.etag, patch: mergePatch(base, own) }} />
    </>
  );
}

export default function ProviderPage() {
  const { api, key, path, project } = useProject();
  const { providerId } = useParams({ from: "/signed-in/$org/$project/providers/$providerId" });
  const client = useQueryClient();
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const [made, setMade] = useState<Provider>();
  // A saved form starts again with what was saved; other changes of the provider do not touch it.
  const [version, setVersion] = useState(0);
  const test = useProviderTest();
  const found = useQuery({
    queryKey: [key, "providers", "one", providerId], queryFn: ({ signal }) => readProvider(api, providerId, signal), staleTime: 0,
  });
  const provider = found.data?.provider;
  useTitle(provider?.name, "Providers", project.name);
  if (made?.signingSecret) return <SigningSecret id={made.id} name={made.name} secret={made.signingSecret} renewed />;
  const crumbs = <Crumbs crumbs={[{ word: "Providers", to: path("providers") }, { word: provider?.name ?? "Provider" }]} />;
  if (!provider) {
    return (
      <div className="page">
        {crumbs}
        {found.error
          ? (
            <PageError
              page thing="This provider" what="The provider" error={found.error} retry={() => void found.refetch()}
              back={<Link className="btn" to={path("providers")}>Show all providers</Link>}
            />
          )
          : <Skeleton name="the provider" />}
      </div>
    );
  }
  const edits = hasRole(project.role, "project_editor");
  const saved = async (now: Provider) => {
    toast({ text: `Provider ${now.name} was saved.` });
    if (now.signingSecret) setMade(now);
    await client.invalidateQueries({ queryKey: [key, "providers"] });
    setVersion((old) => old + 1);
  };
  return (
    <div className="page">
      {crumbs}
      <PageHead
        title={provider.name} badge={<Badge state={providerState(provider)} />} lead={providerTypeWord(provider.type)}
        actions={
          <>
            {edits && (
              <button
                className="btn" type="button" aria-disabled={test.isPending}
                onClick={() => !test.isPending && test.mutate({ id: providerId })}
              >
                <Icon name="play" />Send test message
              </button>
            )}
            <ActionMenu
              label={`More for ${provider.name}`}
              entries={[
                { id: "copy", icon: "copy", word: "Copy id", act: () => copyId(providerId) },
                ...(hasRole(project.role, "project_admin")
                  ? [{ id: "delete", icon: "trash", word: "Delete", act: () => setAsking(true) } as const] : []),
              ]}
            />
          </>
        }
      />
      <TestOutcome test={test} />
      <div className="split split-aside">
        {edits
          ? (
            <section className="panel" aria-labelledby="config-head">
              <div className="panel-head"><h2 id="config-head">Settings</h2></div>
              <div className="panel-body stack g-4"><EditForm key={version} first={found.data!} onSaved={saved} /></div>
            </section>
          )
          : (
            <section className="panel" aria-labelledby="config-head">
              <div className="panel-head"><h2 id="config-head">Settings</h2></div>
              <div className="panel-body stack g-4">
                <p className="muted">Editors can change the settings of a provider.</p>
                <StoredProviderLines id={providerId} />
              </div>
            </section>
          )}
        <ProviderAside provider={provider} />
      </div>
      {asking && (
        <DeleteProvider
          provider={provider} onClose={() => setAsking(false)} onDeleted={() => void navigate({ to: path("providers") })}
        />
      )}
    </div>
  );
}
