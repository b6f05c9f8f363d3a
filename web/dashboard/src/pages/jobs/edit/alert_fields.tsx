import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { LoadError } from "../../../parts/feedback";
import { FieldNote, TextField } from "../../../parts/field";
import type { ListPage } from "../../../parts/list_foot";
import { useProject } from "../../project_context";
import type { Provider } from "../../providers/provider_queries";
import { CONDITIONS } from "../alert_conditions";
import type { AlertValues } from "./job_values";

interface AlertsProps {
  values: AlertValues;
  providers: UseQueryResult<ListPage<Provider>>;
  errorOf: (id: string) => string | undefined;
  onChange: (values: AlertValues) => void;
}

/** When the job alerts, and whom. */
export function AlertFields({ values, providers, errorOf, onChange }: AlertsProps) {
  const set = (part: Partial<AlertValues>) => onChange({ ...values, ...part });
  const { path } = useProject();
  const rows = providers.data?.rows ?? [];
  const { notificationProviders: chosen } = values;
  const toggle = (id: string, on: boolean) =>
    set({ notificationProviders: on ? [...chosen, id] : chosen.filter((one) => one !== id) });
  // A provider that was deleted since stays until somebody clears it.
  const known = providers.data ? chosen.filter((id) => !rows.some((one) => one.id === id)) : [];
  return (
    <fieldset className="stack g-4">
      <legend className="label">Alerts</legend>
      <label className="check">
        <input type="checkbox" name="alerts" checked={values.enabled} onChange={(event) => set({ enabled: event.target.checked })} />
        <span>Notify somebody about runs of this job</span>
      </label>
      {values.enabled && (
        <>
          <fieldset className="stack g-2">
            <legend className="label">Conditions</legend>
            {CONDITIONS.map(([name, word]) => (
              <label className="check" key={name}>
                <input type="checkbox" name={name} checked={values[name]} onChange={(event) => set({ [name]: event.target.checked })} />
                <span>{word}</span>
              </label>
            ))}
          </fieldset>
          <div className="form-row">
            <TextField
              label="Failures in a row" id="job-failureThreshold" name="failureThreshold" inputMode="numeric" autoComplete="off"
              value={values.failureThreshold} onChange={(failureThreshold) => set({ failureThreshold })}
              error={errorOf("job-failureThreshold")} hint="From this failure on."
            />
            <TextField
              label="Passed runs in a row" id="job-recoveryThreshold" name="recoveryThreshold" inputMode="numeric" autoComplete="off"
              value={values.recoveryThreshold} onChange={(recoveryThreshold) => set({ recoveryThreshold })}
              error={errorOf("job-recoveryThreshold")} hint="For alerts about runs that passed."
            />
          </div>
          <fieldset className="stack g-2" id="job-providers" tabIndex={-1}>
            <legend className="label">Notification providers, at most 10</legend>
            {providers.error && <LoadError what="The notification providers" error={providers.error} />}
            {rows.map((one) => (
              <label className="check" key={one.id}>
                <input
                  type="checkbox" name={`provider-${one.id}`} checked={chosen.includes(one.id)}
                  onChange={(event) => toggle(one.id, event.target.checked)}
                />
                <span><bdi>{one.name}</bdi> <span className="faint">{one.type}{one.enabled ? "" : ", disabled"}</span></span>
              </label>
            ))}
            {known.map((id) => (
              <label className="check" key={id}>
                <input type="checkbox" name={`provider-${id}`} checked onChange={() => toggle(id, false)} />
                <span>A deleted provider <code>{id.slice(0, 8)}</code></span>
              </label>
            ))}
            {providers.data && rows.length === 0 && (
              <p className="muted small">
                The project has no notification provider yet, so alerts are only recorded.{" "}
                <Link to={path("providers", "new")} target="_blank" rel="noopener noreferrer">Create one in another tab</Link>
              </p>
            )}
            <FieldNote id="job-providers-note" error={errorOf("job-providers")} />
          </fieldset>
          <TextField
            label="Message" id="job-customMessage" name="customMessage" optional value={values.customMessage} maxLength={2000}
            autoComplete="off"
            onChange={(customMessage) => set({ customMessage })} error={errorOf("job-customMessage")}
            hint="Added to each alert, such as where to look."
          />
        </>
      )}
    </fieldset>
  );
}
