import { useState } from "react";
import { SelectField, TextField } from "../../../parts/field";
import { cronWords } from "../../../time/cron_words";
import { SchedulePreview } from "./schedule_preview";

const OWN = "own";
const SCHEDULES = [
  "*/5 * * * *", "*/15 * * * *", "*/30 * * * *", "0 * * * *", "0 */6 * * *", "0 3 * * *", "0 6 * * 1-5", "0 4 * * 0", "0 5 1 * *",
] as const;
const OPTIONS = [
  ["", "When triggered only"], ...SCHEDULES.map((one) => [one, cronWords(one)!] as const), [OWN, "Another schedule"],
] as const;

const ZONES = Intl.supportedValuesOf("timeZone");

interface ScheduleProps {
  cron: string;
  zone: string;
  errorOf: (id: string) => string | undefined;
  onChange: (part: { cronSchedule?: string; timeZone?: string }) => void;
}

/** The schedule: a choice in words, or five fields of cron, and its time zone. */
export function ScheduleFields({ cron, zone, errorOf, onChange }: ScheduleProps) {
  const listed = cron === "" || SCHEDULES.some((one) => one === cron);
  const [own, setOwn] = useState(!listed);
  const words = cronWords(cron);
  const choose = (value: string) => {
    setOwn(value === OWN);
    if (value !== OWN) onChange({ cronSchedule: value });
  };
  return (
    <fieldset className="stack g-3">
      <legend className="label">Schedule</legend>
      <SelectField
        label="Starts" name="schedule" hideLabel value={own || !listed ? OWN : cron} options={OPTIONS} onChange={choose}
      />
      {(own || !listed) && (
        <TextField
          label="Five fields of cron" id="job-cronSchedule" name="cronSchedule" mono value={cron} maxLength={255} spellCheck={false}
          autoComplete="off" placeholder="30 6 * * mon-fri" error={errorOf("job-cronSchedule")}
          onChange={(value) => onChange({ cronSchedule: value })}
          hint={words ? `${words}.` : "Minute, hour, day of the month, month, day of the week."}
        />
      )}
      {(own || cron !== "") && (
        <>
          <TextField
            label="Time zone" id="job-timeZone" name="timeZone" value={zone} maxLength={64} spellCheck={false} autoComplete="off"
            list="job-zones" error={errorOf("job-timeZone")} onChange={(value) => onChange({ timeZone: value })}
            hint="The schedule counts in this zone, over its clock changes."
          />
          <datalist id="job-zones">{ZONES.map((one) => <option key={one} value={one} />)}</datalist>
          <SchedulePreview cron={cron} zone={zone} />
        </>
      )}
    </fieldset>
  );
}
