import { type FormEvent, useState } from "react";
import { ActError } from "../../parts/feedback";
import { SelectField, TextField } from "../../parts/field";
import { Icon } from "../../parts/icon";
import { type Choice, SearchSelect } from "../../parts/search_select";
import { searchMonitors } from "../monitors/monitor_names";
import { useProject } from "../project_context";
import { LENGTHS } from "./lengths";
import { useStartWindow } from "./use_window_acts";
import { MOST_DESCRIPTION } from "./window_values";

const ANY: ReadonlySet<string> = new Set();
const NOTHING_CHOSEN: Choice = { id: "", word: "" };

/** Starts a window of one monitor now. */
export function StartWindow() {
  const { api, key } = useProject();
  const [monitor, setMonitor] = useState(NOTHING_CHOSEN);
  // A form that has done its work starts again with empty fields.
  const [round, setRound] = useState(0);
  const [minutes, setMinutes] = useState("60");
  const [description, setDescription] = useState("");
  const [tried, setTried] = useState(false);
  const start = useStartWindow(() => {
    setMonitor(NOTHING_CHOSEN);
    setRound((old) => old + 1);
    setDescription("");
    setTried(false);
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!monitor.id || start.isPending) return;
    start.mutate({ monitor: { id: monitor.id, name: monitor.word }, minutes: Number(minutes), description });
  };
  return (
    <form className="panel" noValidate aria-labelledby="start-head" onSubmit={submit}>
      <div className="panel-head"><h2 id="start-head">Start a window now</h2></div>
      <div className="panel-body form">
        {start.error && <ActError title="The window was not started" error={start.error} />}
        <div className="form-row">
          <SearchSelect
            key={round} label="Monitor" name="monitor" placeholder="Search by name or target"
            queryKey={[key, "monitor-choice", ""]} chosen={monitor} error={tried && !monitor.id ? "Choose a monitor." : undefined}
            search={(words, signal) => searchMonitors(api, ANY, words, signal)}
            onChoose={(choice) => (start.reset(), setMonitor(choice))}
          />
          <SelectField label="Duration" name="minutes" value={minutes} options={LENGTHS} onChange={setMinutes} />
          <TextField
            label="Reason" name="description" optional value={description} maxLength={MOST_DESCRIPTION} autoComplete="off"
            onChange={setDescription}
          />
        </div>
        <div className="form-actions">
          <button className="btn" type="submit" aria-disabled={start.isPending} data-pending={start.isPending || undefined}>
            <Icon name="wrench" />Start window
          </button>
        </div>
      </div>
    </form>
  );
}
