import { TextField } from "../../parts/field";
import { cronWords } from "../../time/cron_words";
import { durationText } from "../../time/format";
import { momentOf } from "../../time/zoned";
import { WindowPreview } from "./window_preview";
import { type WindowValues, idOf } from "./window_values";

const KINDS = [["once", "Once"], ["recurring", "Again and again"]] as const;
const ZONES = Intl.supportedValuesOf("timeZone");

interface TimeProps {
  values: WindowValues;
  set: (part: Partial<WindowValues>) => void;
  errorOf: (name: string) => string | undefined;
  zone: string;
  started?: boolean;
}

type Moments = "startsAt" | "endsAt" | "from" | "until";

/** A wall time of the form's zone. */
function MomentField({ name, label, optional, hint, readOnly, ...props }: TimeProps & {
  name: Moments;
  label: string;
  optional?: boolean;
  hint?: string;
  readOnly?: boolean;
}) {
  const { values, set, errorOf, zone } = props;
  return (
    <TextField
      label={`${label}, ${zone}`} id={idOf(name)} name={name} type="datetime-local" optional={optional} value={values[name]}
      readOnly={readOnly} onChange={(value) => set({ [name]: value })} error={errorOf(name)} hint={hint}
    />
  );
}

function OnceFields(props: TimeProps) {
  const { values, zone, started } = props;
  const [start, end] = [momentOf(values.startsAt, zone), momentOf(values.endsAt, zone)];
  const length = start && end && end > start ? durationText(end.getTime() - start.getTime()) : undefined;
  return (
    <div className="form-row">
      <MomentField {...props} name="startsAt" label="Starts" readOnly={started} hint={started ? "The window has started." : undefined} />
      <MomentField {...props} name="endsAt" label="Ends" hint={length && `It lasts ${length}.`} />
    </div>
  );
}

function RecurringFields(props: TimeProps) {
  const { values, set, errorOf, zone } = props;
  const words = cronWords(values.cron);
  const minutes = /^\d{1,9}$/.test(values.minutes.trim()) ? Number(values.minutes) : 0;
  const iso = (name: Moments) => momentOf(values[name], zone)?.toISOString();
  return (
    <>
      <div className="form-row">
        <TextField
          label="Five fields of cron" id={idOf("cron")} name="cron" mono value={values.cron} maxLength={255} spellCheck={false}
          autoComplete="off" onChange={(cron) => set({ cron })} error={errorOf("cron")}
          hint={words ? `${words}.` : "Minute, hour, day of the month, month, day of the week."}
        />
        <TextField
          label="Time zone" id={idOf("timeZone")} name="timeZone" value={values.timeZone} maxLength={64} spellCheck={false}
          autoComplete="off" list="window-zones" onChange={(timeZone) => set({ timeZone })} error={errorOf("timeZone")}
          hint="The starts follow its clock changes."
        />
        <TextField
          label="Length, minutes" id={idOf("minutes")} name="minutes" inputMode="numeric" autoComplete="off" value={values.minutes}
          onChange={(value) => set({ minutes: value })} error={errorOf("minutes")}
          hint={minutes > 0 ? `Each time ${durationText(minutes * 60_000)}.` : undefined}
        />
      </div>
      <datalist id="window-zones">{ZONES.map((one) => <option key={one} value={one} />)}</datalist>
      <div className="form-row">
        <MomentField {...props} name="from" label="No start before" optional />
        <MomentField {...props} name="until" label="No start at or after" optional />
      </div>
      <WindowPreview cron={values.cron} zone={values.timeZone} minutes={minutes} from={iso("from")} until={iso("until")} />
    </>
  );
}

/** The times of a window: one interval, or a schedule with a length and a preview of its next starts. */
export function TimeFields(props: TimeProps) {
  const { values, set } = props;
  return (
    <fieldset className="stack g-3">
      <legend className="label">Time</legend>
      <div className="row g-6">
        {KINDS.map(([key, word]) => (
          <label className="check" key={key}>
            <input type="radio" name="kind" checked={values.kind === key} onChange={() => set({ kind: key })} />
            <span>{word}</span>
          </label>
        ))}
      </div>
      {values.kind === "once" ? <OnceFields {...props} /> : <RecurringFields {...props} />}
    </fieldset>
  );
}
