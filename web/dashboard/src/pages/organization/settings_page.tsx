import { useQueryClient } from "@tanstack/react-query";
import { ACCOUNT_KEY } from "../../api/account";
import { account, take } from "../../api/services";
import { NameForm } from "../../parts/name_form";
import { PageHead } from "../../parts/page";
import { useTitle } from "../../parts/use_title";
import { NeedsAdmin } from "./needs_admin";
import { useOrganization } from "./organization_context";
import { SignInPolicy } from "./sign_in_policy";

function Settings() {
  const { organization } = useOrganization();
  const client = useQueryClient();
  useTitle("Settings", organization.name);
  const save = async (name: string) => {
    const saved = await take(account.PATCH("/dashboard/v1/organizations/{organizationId}", {
      params: { path: { organizationId: organization.id } }, body: { name },
    }));
    client.setQueryData(["organization", organization.id], saved);
    for (const queryKey of [ACCOUNT_KEY, ["projects"], ["project", organization.slug]]) void client.invalidateQueries({ queryKey });
  };
  return (
    <div className="page page-narrow">
      <PageHead title="Settings" lead={`Name and sign-in policy of ${organization.name}.`} />
      <section className="section" aria-labelledby="name-head">
        <h2 id="name-head">General</h2>
        <NameForm key={organization.name} thing="organisation" name={organization.name} slug={organization.slug} save={save} />
      </section>
      <SignInPolicy key={JSON.stringify(organization.signInPolicy)} />
    </div>
  );
}

export default function SettingsPage() {
  return <NeedsAdmin><Settings /></NeedsAdmin>;
}
