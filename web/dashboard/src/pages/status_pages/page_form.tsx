import { type FormEvent, type ReactNode } from "react";
import { FieldNote, SelectField, TextField } from "../../parts/field";
import { useProviders } from "../providers/provider_queries";
import { type FieldError, FormBanner, TextArea, errorFinder } from "./field_errors";
import type { Visibility } from "./page_queries";
import { LANGUAGES, slugAddress } from "./page_states";
import { COLOR, MOST_DESCRIPTION, MOST_HEADLINE, MOST_NAME, type PageValues } from "./page_values";

const FORM = "status-page";
const idOf = (name: string): string => `${FORM}-${name}`;
const ZONES = Intl.supportedValuesOf("timeZone");
const START_COLOR = "#1d4ed8";

const CHOICES: readonly (readonly [Visibility, string])[] = [
  ["public", "Public: everybody, also search engines"],
  ["unlisted", "Unlisted: everybody with the address; search engines are asked to leave it out"],
  ["restricted", "Restricted: only visitors from some addresses"],
  ["members", "Members only: signed-in members of the project, on the address of the service"],
];

interface PartProps {
  values: PageValues;
  set: (part: Partial<PageValues>) => void;
  errorOf: (name: string) => string | undefined;
}

/** A box to tick with the name of a member. */
function Flag({ values, set, name, word }: PartProps & { name: "allowFeeds" | "allowSubscribers" | "autoIncidents"; word: string }) {
  return (
    <label className="check">
      <input type="checkbox" name={name} checked={values[name]} onChange={(event) => set({ [name]: event.target.checked })} />
      <span>{word}</span>
    </label>
  );
}

function NameFields({ values, set, errorOf }: PartProps) {
  return (
    <>
      <div className="form-row">
        <TextField
          label="Name" id={idOf("name")} name="name" value={values.name} onChange={(name) => set({ name })} maxLength={MOST_NAME}
          autoComplete="off" error={errorOf("name")}
        />
        <TextField
          label="Short name in the address" id={idOf("slug")} name="slug" mono value={values.slug} maxLength={63} spellCheck={false}
          autoComplete="off" autoCapitalize="none" onChange={(slug) => set({ slug })} error={errorOf("slug")}
          hint={<>Address: <code className="wrap-any">{slugAddress(location.origin, values.slug.trim() || "…")}</code></>}
        />
      </div>
      <TextField
        label="Headline" id={idOf("headline")} name="headline" optional value={values.headline} maxLength={MOST_HEADLINE}
        autoComplete="off" onChange={(headline) => set({ headline })} error={errorOf("headline")} hint="One line below the name."
      />
      <TextArea
        label="Description" id={idOf("description")} name="description" optional value={values.description} most={MOST_DESCRIPTION}
        onChange={(description) => set({ description })} error={errorOf("description")} hint="Plain text."
      />
    </>
  );
}

function VisibilityFields({ values, set, errorOf }: PartProps) {
  return (
    <fieldset className="stack g-3">
      <legend className="label">Who sees the page once it is published</legend>
      {CHOICES.map(([key, word]) => (
        <label className="check" key={key}>
          <input type="radio" name="visibility" checked={values.visibility === key} onChange={() => set({ visibility: key })} />
          <span>{word}</span>
        </label>
      ))}
      {values.visibility === "restricted" && (
        <TextArea
          label="Address ranges" id={idOf("allowedCidrs")} name="allowedCidrs" mono value={values.allowedCidrs}
          onChange={(allowedCidrs) => set({ allowedCidrs })} error={errorOf("allowedCidrs")}
          hint="One range a line, such as 203.0.113.0/24 or 2001:db8::/32."
        />
      )}
    </fieldset>
  );
}

/** The accent colour with a sample. It paints only the background of the logo, because its contrast is not known. */
function ColorField({ values, set, errorOf }: PartProps) {
  const color = values.accentColor.trim();
  return (
    <div className="row g-2 page-color">
      <TextField
        label="Accent colour" id={idOf("accentColor")} name="accentColor" optional mono value={values.accentColor} maxLength={7}
        spellCheck={false} autoComplete="off" onChange={(accentColor) => set({ accentColor })} error={errorOf("accentColor")}
        hint="Paints only the background of the logo."
      />
      <input
        className="input color" type="color" aria-label="Choose the accent colour"
        value={COLOR.test(color) ? color.toLowerCase() : START_COLOR} onChange={(event) => set({ accentColor: event.target.value })}
      />
    </div>
  );
}

function LookFields(props: PartProps) {
  const { values, set, errorOf } = props;
  return (
    <>
      <div className="form-row">
        <SelectField
          label="Language" name="language" value={values.language} options={LANGUAGES} hint="Of the page, its feeds and its mails."
          onChange={(language) => set({ language: language as PageValues["language"] })}
        />
        <TextField
          label="Time zone" id={idOf("timeZone")} name="timeZone" value={values.timeZone} maxLength={64} spellCheck={false}
          autoComplete="off" list="status-page-zones" onChange={(timeZone) => set({ timeZone })} error={errorOf("timeZone")}
          hint="Days of the bars follow it."
        />
        <datalist id="status-page-zones">{ZONES.map((one) => <option key={one} value={one} />)}</datalist>
      </div>
      <div className="form-row">
        <ColorField {...props} />
        <TextField
          label="Address of your help" id={idOf("supportUrl")} name="supportUrl" optional type="url" value={values.supportUrl}
          maxLength={2048} autoComplete="off" placeholder="https://" onChange={(supportUrl) => set({ supportUrl })}
          error={errorOf("supportUrl")}
        />
      </div>
      <TextField
        label="Own domain" id={idOf("customDomain")} name="customDomain" optional value={values.customDomain} maxLength={254}
        spellCheck={false} autoComplete="off" autoCapitalize="none" placeholder="status.example.org"
        onChange={(customDomain) => set({ customDomain })} error={errorOf("customDomain")}
        hint="The page is served there once a TXT record proves the domain. A change ends the proof."
      />
    </>
  );
}

function ProviderFields({ values, set, errorOf }: PartProps) {
  const providers = useProviders();
  const chosen = values.notificationProviders;
  // PagerDuty would keep an incident open that nothing resolves.
  const rows = providers.data?.rows.filter((one) => one.type !== "pagerduty" || chosen.includes(one.id)) ?? [];
  const toggle = (id: string, on: boolean) => set({ notificationProviders: on ? [...chosen, id] : chosen.filter((one) => one !== id) });
  return (
    <fieldset className="stack g-2" id={idOf("notificationProviders")} tabIndex={-1}>
      <legend className="label">Providers that receive each post</legend>
      <div className="row g-4">
        {rows.map((one) => (
          <label className="check" key={one.id}>
            <input
              type="checkbox" name={`provider-${one.id}`} checked={chosen.includes(one.id)}
              onChange={(event) => toggle(one.id, event.target.checked)}
            />
            <span className="wrap-any" dir="auto">{one.name}</span>
          </label>
        ))}
      </div>
      {providers.data && rows.length === 0 && <p className="muted">The project has no provider for posts yet.</p>}
      <FieldNote
        id={`${idOf("notificationProviders")}-note`} error={errorOf("notificationProviders")}
        hint="PagerDuty is left out, because nothing would resolve a post there."
      />
    </fieldset>
  );
}

function PostFields(props: PartProps) {
  const { values, set, errorOf } = props;
  return (
    <>
      <fieldset className="stack g-2">
        <legend className="label">How visitors follow the page</legend>
        <Flag {...props} name="allowFeeds" word="RSS, JSON Feed and a calendar" />
        <Flag {...props} name="allowSubscribers" word="Mail to visitors who confirm their address" />
      </fieldset>
      <fieldset className="stack g-3">
        <legend className="label">Automatic incidents</legend>
        <Flag {...props} name="autoIncidents" word="Open an incident when a component is in outage, and resolve it afterwards" />
        {values.autoIncidents && (
          <TextField
            label="Minutes of an outage before the incident" id={idOf("autoIncidentMinutes")} name="autoIncidentMinutes" inputMode="numeric"
            autoComplete="off" value={values.autoIncidentMinutes} onChange={(autoIncidentMinutes) => set({ autoIncidentMinutes })}
            error={errorOf("autoIncidentMinutes")} hint="At most 10 a day. Once a person has posted, nothing more is posted automatically."
          />
        )}
      </fieldset>
      <ProviderFields {...props} />
    </>
  );
}

interface FormProps {
  values: PageValues;
  set: (part: Partial<PageValues>) => void;
  errors: readonly FieldError[];
  refusal: Error | null;
  /** Such as "The page was not saved". */
  failure: string;
  submit: () => void;
  children: ReactNode;
}

/** All settings of a status page. The page around it decides how they are saved. */
export function PageForm({ values, set, errors, refusal, failure, submit, children }: FormProps) {
  const part = { values, set, errorOf: errorFinder(errors, refusal) };
  const send = (event: FormEvent) => {
    event.preventDefault();
    submit();
  };
  return (
    <form className="form" noValidate onSubmit={send}>
      <FormBanner form={FORM} failure={failure} errors={errors} refusal={refusal} />
      <NameFields {...part} />
      <VisibilityFields {...part} />
      <LookFields {...part} />
      <PostFields {...part} />
      {children}
    </form>
  );
}
