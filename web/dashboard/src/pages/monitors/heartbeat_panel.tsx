import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { take } from "../../api/services";
import { CopyButton } from "../../parts/copy";
import { AppDialog } from "../../parts/dialog";
import { SelectField } from "../../parts/field";
import { hasRole } from "../../parts/states";
import { Moment } from "../../parts/time";
import { toast } from "../../parts/toasts";
import { useNow } from "../../parts/use_clock";
import { durationText, relativeText } from "../../time/format";
import { useProject } from "../project_context";
import { crontabLines } from "./crontab";
import type { Monitor, MonitorStats } from "./monitor_queries";
import { downtimeText, percentText } from "./series";

const GRACES = [["86400", "1 day"], ["3600", "1 hour"], ["604800", "7 days"], ["0", "Not at all: end it at once"]] as const;

const graceWord = (grace: string): string => GRACES.find(([value]) => value === grace)?.[1] ?? "";

function RotateKey({ monitor, onClose }: { monitor: Monitor; onClose: () => void }) {
  const { api, key } = useProject();
  const client = useQueryClient();
  const [grace, setGrace] = useState("86400");
  const rotate = useMutation({
    mutationFn: () =>
      take(api.POST("/api/monitors/{id}/rotate-key", { params: { path: { id: monitor.id } }, body: { graceSeconds: Number(grace) } })),
    onSuccess: () => {
      const word = grace === "0" ? "no longer works" : `works for ${graceWord(grace)} more`;
      toast({ text: `${monitor.name} has a new address. Put it into the crontab; the former one ${word}.` });
      onClose();
      return client.invalidateQueries({ queryKey: [key, "monitor", monitor.id] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!rotate.isPending) rotate.mutate();
  };
  return (
    <AppDialog title={`Rotate the key of ${monitor.name}?`} onClose={onClose}>
      <form noValidate onSubmit={submit}>
        <div className="dialog-body">
          <p className="muted">The heartbeat gets a new address. Pings at the present one count for the time that you choose.
            Earlier ones keep the time that they were given, unless you end the present one at once: that ends them all.</p>
          <SelectField
            label="The present address works for" name="graceSeconds" value={grace} onChange={setGrace} options={GRACES}
            hint={grace === "0"
              ? "Pings of jobs that use it are refused until they have the new one."
              : "Replace it everywhere within this time."}
          />
          {rotate.error && <p className="field-error" role="alert">{rotate.error.message}</p>}
        </div>
        <div className="dialog-foot">
          <button className="btn" type="button" onClick={onClose}>Keep the key</button>
          <button className="btn btn-primary" type="submit" aria-disabled={rotate.isPending}>Rotate key</button>
        </div>
      </form>
    </AppDialog>
  );
}

function CopyLine({ name, text }: { name: string; text: string }) {
  return (
    <div className="code code-line code-wrap">
      <code tabIndex={0} role="region" aria-label={name}>{text}</code>
      <CopyButton text={text} label={`Copy ${name}`} />
    </div>
  );
}

/** The address of a heartbeat with lines for a crontab; only editors see it. */
export function HeartbeatAddress({ monitor }: { monitor: Monitor }) {
  const { project } = useProject();
  const [asking, setAsking] = useState(false);
  const url = monitor.heartbeat?.url;
  if (!hasRole(project.role, "project_editor") || !url) {
    return (
      <section className="panel" aria-labelledby="address-head">
        <div className="panel-head"><h2 id="address-head">Address</h2></div>
        <div className="panel-body">
          <p className="muted">Only editors see the address, because everyone who knows it can send pings.</p>
        </div>
      </section>
    );
  }
  const lines = crontabLines(url, monitor.config);
  return (
    <section className="panel" aria-labelledby="address-head">
      <div className="panel-head">
        <h2 id="address-head">Address</h2>
        <button className="btn btn-s" type="button" aria-haspopup="dialog" onClick={() => setAsking(true)}>Rotate key</button>
      </div>
      <div className="panel-body stack g-4">
        <div className="stack g-2">
          <CopyLine name="heartbeat address" text={url} />
          <p className="small muted">Keep this address secret: everyone who knows it can send pings. Only editors see it.</p>
        </div>
        <div className="stack g-2">
          <h3>Crontab line</h3>
          <CopyLine name="crontab line" text={lines.plain} />
          {lines.note && <p className="small">{lines.note}</p>}
          <p className="small muted">The exit code follows the address: 0 means success, 1 to 255 mean failure.</p>
        </div>
        <div className="stack g-2">
          <h3>With the duration</h3>
          <CopyLine name="crontab line with start" text={lines.timed} />
        </div>
      </div>
      {asking && <RotateKey monitor={monitor} onClose={() => setAsking(false)} />}
    </section>
  );
}

function When({ value, missing }: { value: string | null | undefined; missing: string }) {
  const now = useNow();
  return (
    <>
      <dd className="figure"><Moment value={value} form="minutes" /></dd>
      <dd>{value ? relativeText(new Date(value), now) : missing}</dd>
    </>
  );
}

/** The last ping, when the next one is expected, and how long the job takes. */
export function HeartbeatFigures({ monitor, stats }: { monitor: Monitor; stats?: MonitorStats }) {
  const heartbeat = monitor.heartbeat;
  const most = (monitor.config as { maxDurationSeconds?: number | null }).maxDurationSeconds;
  const month = stats?.periods["30d"];
  const missing = monitor.enabled ? "after the first ping" : "not while paused";
  const running = heartbeat?.running ? `${heartbeat.running} running now` : undefined;
  return (
    <dl className="figures">
      <div><dt>Last ping</dt><When value={heartbeat?.lastBeatAt} missing="none yet" /></div>
      <div><dt>Expected</dt><When value={heartbeat?.expectedAt} missing={missing} /></div>
      <div><dt>Deadline</dt><When value={heartbeat?.deadlineAt} missing={missing} /></div>
      <div>
        <dt>Last duration</dt>
        <dd className="figure">{heartbeat?.lastDurationMs == null ? "–" : durationText(heartbeat.lastDurationMs)}</dd>
        <dd>{running ?? (most ? `limit ${durationText(most * 1000)}` : "no limit")}</dd>
      </div>
      <div>
        <dt>Uptime, 30 d</dt>
        <dd className="figure">{percentText(month?.uptimePercent ?? null)} <span className="unit">%</span></dd>
        <dd>{month ? downtimeText(month) : "…"}</dd>
      </div>
    </dl>
  );
}
