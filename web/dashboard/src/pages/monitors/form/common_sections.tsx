import { Link } from "@tanstack/react-router";
import { FieldNote } from "../../../parts/field";
import { useProject } from "../../project_context";
import { useProviders } from "../../providers/provider_queries";
import { providerTypeWord } from "../../providers/provider_words";
import { useTags } from "../../tags/use_tags";
import { durationText } from "../../../time/format";
import { checkTime, timeoutOf } from "../check_times";
import { ALERTS, idOf } from "./fields";
import { FormArea, FormChoice, FormFlag, FormPanel, FormText, useForm } from "./form_parts";
import { isObject } from "./merge_patch";
import { toBody } from "./values";

const INTERVALS = [30, 60, 120, 300, 600, 900, 1800, 3600, 21_600, 43_200, 86_400].map((seconds) =>
  [String(seconds), durationText(seconds * 1000)] as const);

/** The interval, the retries, and how long a check may take with them. */
export function TimingSection() {
  const { type, values } = useForm();
  const interval = Number(values.texts["/frequencySeconds"]) || 300;
  const body = toBody(type, values).body;
  const config = isObject(body.config) ? body.config : {};
  const { most, limit } = checkTime(config, interval);
  const usual = timeoutOf({}, interval);
  return (
    <FormPanel id="timing" title="Interval and retries">
      <div className="form-row">
        <FormChoice pointer="/frequencySeconds" options={INTERVALS} />
        <FormText pointer="/config/timeoutSeconds" placeholder={String(usual)} />
        <FormText pointer="/config/degradedAfterMs" />
      </div>
      <div className="form-row">
        <FormText pointer="/config/retryStrategy/maxRetries" placeholder={interval < 30 ? "1" : "2"} />
        <FormText pointer="/config/retryStrategy/delaySeconds" />
        <FormText pointer="/config/retryStrategy/backoffFactor" />
      </div>
      <p className={most > limit ? "field-error" : "hint"}>
        A failed check takes at most {durationText(most * 1000)} with its retries. The limit is {durationText(limit * 1000)}, which is
        0.8 of the interval.
      </p>
    </FormPanel>
  );
}

function ProviderChoice() {
  const { values, errors, change } = useForm();
  const { path } = useProject();
  const providers = useProviders();
  const pointer = "/alertConfig/notificationProviders";
  const error = errors.get(pointer);
  const rows = providers.data?.rows ?? [];
  const toggle = (id: string, on: boolean) => change(
    (old) => ({ ...old, providers: on ? [...old.providers, id] : old.providers.filter((one) => one !== id) }), pointer,
  );
  return (
    <fieldset className="stack g-2" id={idOf(pointer)} tabIndex={-1}>
      <legend className="label">Providers</legend>
      {rows.map((one) => (
        <label className="check" key={one.id}>
          <input
            type="checkbox" name={`provider-${one.id}`} checked={values.providers.includes(one.id)}
            onChange={(event) => toggle(one.id, event.target.checked)}
          />
          <span><bdi>{one.name}</bdi> <span className="faint">{providerTypeWord(one.type)}{!one.enabled && ", disabled"}</span></span>
        </label>
      ))}
      {providers.data && rows.length === 0 && (
        <p className="muted">
          The project has no provider yet. <Link to={path("providers", "new")}>Create a provider</Link> to be notified.
        </p>
      )}
      <FieldNote id={`${idOf(pointer)}-note`} error={error} />
    </fieldset>
  );
}

/** Who is notified, and of what. */
export function AlertSection() {
  const { type, values } = useForm();
  const heartbeat = type === "heartbeat";
  const on = values.flags["/alertConfig/enabled"] ?? false;
  const reasons = ALERTS.filter((one) => one.pointer.startsWith("/alertConfig/alertOn"))
    .filter((one) => !heartbeat || !/Degraded|SslExpiration/.test(one.pointer))
    .filter((one) => !/SslExpiration/.test(one.pointer) || type === "website" || type === "http_request");
  return (
    <FormPanel id="alerts" title="Alerts">
      <FormFlag pointer="/alertConfig/enabled" word="Send alerts" />
      {on && (
        <>
          <ProviderChoice />
          <fieldset className="stack g-2">
            <legend className="label">Notify on</legend>
            <div className="row g-6">{reasons.map((one) => <FormFlag pointer={one.pointer} key={one.pointer} />)}</div>
          </fieldset>
        </>
      )}
      <div className="form-row">
        <FormText pointer="/alertConfig/failureThreshold" label={heartbeat ? "Missed pings until down" : undefined} />
        <FormText pointer="/alertConfig/recoveryThreshold" label={heartbeat ? "Good pings until up" : undefined} />
        {on && <FormText pointer="/alertConfig/reminderMinutes" hint="Without it there are no reminders." />}
      </div>
      {on && <FormArea pointer="/alertConfig/customMessage" rows={2} hint="It follows the text of each alert." />}
    </FormPanel>
  );
}

/** Description and tags. */
export function AboutSection() {
  const { values, change } = useForm();
  const tags = useTags();
  const rows = tags.data ?? [];
  return (
    <FormPanel id="about" title="Description and tags">
      <FormArea pointer="/description" rows={2} />
      {rows.length > 0 && (
        <fieldset className="stack g-2">
          <legend className="label">Tags</legend>
          <div className="row g-4">
            {rows.map((tag) => (
              <label className="check" key={tag.id}>
                <input
                  type="checkbox" name={`tag-${tag.id}`} checked={values.tags.includes(tag.id)}
                  onChange={(event) => {
                    const on = event.target.checked;
                    change((old) => ({ ...old, tags: on ? [...old.tags, tag.id] : old.tags.filter((one) => one !== tag.id) }), "/tags");
                  }}
                />
                <span>{tag.name}</span>
              </label>
            ))}
          </div>
        </fieldset>
      )}
    </FormPanel>
  );
}
