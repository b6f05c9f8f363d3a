import { type FormEvent, useState } from "react";
import { AppDialog } from "../../parts/dialog";
import { TextField } from "../../parts/field";
import { Icon } from "../../parts/icon";
import { ActionMenu, type MenuEntry } from "../../parts/menu";
import { useZone } from "../../parts/use_clock";
import { fieldOf, momentOf } from "../../time/zoned";
import type { Monitor } from "./monitor_queries";
import { isMuted } from "./monitor_states";

const HOUR = 3_600_000;
const CHOICES = [["1 hour", HOUR], ["8 hours", 8 * HOUR], ["1 day", 24 * HOUR], ["7 days", 168 * HOUR]] as const;
const MOST_DAYS = 366;

interface MuteProps {
  monitor: Monitor;
  mute: (monitor: Monitor, until: Date) => void;
  unmute: (monitor: Monitor) => void;
}

function MuteUntil({ monitor, mute, onClose }: Omit<MuteProps, "unmute"> & { onClose: () => void }) {
  const zone = useZone();
  const [text, setText] = useState(() => fieldOf(new Date(Date.now() + 24 * HOUR), zone));
  const [error, setError] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const until = momentOf(text, zone);
    const ahead = until ? until.getTime() - Date.now() : 0;
    if (!until || ahead <= 0) return setError("Enter a time in the future.");
    if (ahead > MOST_DAYS * 24 * HOUR) return setError(`Enter a time within ${MOST_DAYS} days.`);
    mute(monitor, until);
    onClose();
  };
  return (
    <AppDialog title={`Mute ${monitor.name}`} onClose={onClose}>
      <form noValidate onSubmit={submit}>
        <div className="dialog-body">
          <p className="muted">The monitor is checked as before, and its alerts are recorded but not sent.</p>
          <TextField
            label={`Until, ${zone}`} name="until" type="datetime-local" value={text} autoFocus
            onChange={(value) => (setText(value), setError(undefined))} error={error}
          />
        </div>
        <div className="dialog-foot">
          <button className="btn" type="button" onClick={onClose}>Cancel</button>
          <button className="btn btn-primary" type="submit">Mute</button>
        </div>
      </form>
    </AppDialog>
  );
}

/** Mutes a monitor for a time, or ends that. */
export function MuteMenu({ monitor, mute, unmute }: MuteProps) {
  const [asking, setAsking] = useState(false);
  const muted = isMuted(monitor, new Date());
  const choices: MenuEntry[] = CHOICES.map(([word, time]) => ({
    id: word, icon: "bell-off", word: `For ${word}`, act: () => mute(monitor, new Date(Date.now() + time)),
  }));
  return (
    <>
      <ActionMenu
        label={`Mute ${monitor.name}`} className="btn"
        entries={[
          ...(muted ? [{ id: "unmute", icon: "bell", word: "Send alerts again", act: () => unmute(monitor) } as const] : []),
          ...choices,
          { id: "until", icon: "calendar", word: "Until a time", act: () => setAsking(true) },
        ]}
      >
        <Icon name="bell-off" />{muted ? "Muted" : "Mute"}<Icon name="down" />
      </ActionMenu>
      {asking && <MuteUntil monitor={monitor} mute={mute} onClose={() => setAsking(false)} />}
    </>
  );
}
