import { type FormEvent, useState } from "react";
import { AppDialog } from "../../parts/dialog";
import { ActError } from "../../parts/feedback";
import { SelectField, TextField } from "../../parts/field";
import { Icon } from "../../parts/icon";
import { LENGTHS, MOST_MINUTES_NOW } from "../maintenance/lengths";
import { useStartWindow } from "../maintenance/use_window_acts";
import { MOST_DESCRIPTION } from "../maintenance/window_values";
import type { Monitor } from "./monitor_queries";

const OTHER = "other";
const OPTIONS = [...LENGTHS, [OTHER, "Another length"]] as const;

interface StartProps {
  monitor: Pick<Monitor, "id" | "name">;
  onClose: () => void;
}

/** Asks for how long and why a monitor is in maintenance from now on. */
export function StartMaintenance({ monitor, onClose }: StartProps) {
  const [choice, setChoice] = useState("60");
  const [own, setOwn] = useState("");
  const [description, setDescription] = useState("");
  const [error, setError] = useState<string>();
  const start = useStartWindow(onClose);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (start.isPending) return;
    const text = choice === OTHER ? own.trim() : choice;
    const minutes = /^\d{1,9}$/.test(text) ? Number(text) : 0;
    if (minutes < 1 || minutes > MOST_MINUTES_NOW) return setError(`Enter a whole number from 1 to ${MOST_MINUTES_NOW}.`);
    start.mutate({ monitor, minutes, description });
  };
  return (
    <AppDialog title={`Start maintenance of ${monitor.name}`} onClose={onClose}>
      <form noValidate onSubmit={submit}>
        <div className="dialog-body">
          {start.error && <ActError title="The maintenance was not started" error={start.error} />}
          <p className="muted">
            The monitor is checked as before. Failures are recorded but not sent, and the time does not count as downtime.
          </p>
          <SelectField label="Duration" name="choice" value={choice} options={OPTIONS} onChange={setChoice} />
          {choice === OTHER && (
            <TextField
              label="Minutes" name="minutes" inputMode="numeric" autoComplete="off" value={own} error={error}
              onChange={(value) => (setOwn(value), setError(undefined))}
            />
          )}
          <TextField
            label="Reason" name="description" optional value={description} maxLength={MOST_DESCRIPTION} autoComplete="off"
            onChange={setDescription}
          />
        </div>
        <div className="dialog-foot">
          <button className="btn" type="button" onClick={onClose}>Cancel</button>
          <button className="btn btn-primary" type="submit" aria-disabled={start.isPending} data-pending={start.isPending || undefined}>
            <Icon name="wrench" />Start maintenance
          </button>
        </div>
      </form>
    </AppDialog>
  );
}
