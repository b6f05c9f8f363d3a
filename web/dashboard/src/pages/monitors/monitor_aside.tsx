import { Link } from "@tanstack/react-router";
import { Sign } from "../../parts/icon";
import { hasRole } from "../../parts/states";
import { Moment } from "../../parts/time";
import { useNow } from "../../parts/use_clock";
import { durationText } from "../../time/format";
import { useProject } from "../project_context";
import { useProviders } from "../providers/provider_queries";
import type { Certificate, Monitor } from "./monitor_queries";
import { useMonitorNames } from "./monitor_names";
import { intervalOf, scheduleWords, typeWord } from "./monitor_states";
import { PlannedWork } from "./planned_work";
import { Timings } from "./result_facts";
import { milliseconds } from "./series";
import { retryOf, timeoutOf } from "./check_times";

const DAY = 86_400_000;
const WARN_DAYS = 30;

function CertificatePanel({ certificate }: { certificate: Certificate }) {
  const now = useNow();
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  const left = Math.floor((to - now.getTime()) / DAY);
  const whole = Math.max(1, Math.round((to - from) / DAY));
  const used = Math.max(0, Math.min(whole, whole - left));
  const [look, sign, fill] = left < 0
    ? ["s-failed", "failed", "f-failed"] as const
    : left < WARN_DAYS ? ["s-warning", "degraded", "f-degraded"] as const : ["s-active", "passed", "f-ink"] as const;
  return (
    <section className="panel" aria-labelledby="certificate-head">
      <div className="panel-head">
        <h2 id="certificate-head">Certificate</h2>
        <span className={`state ${look}`}>
          <Sign name={sign} look={look} />{left < 0 ? "Expired" : left === 1 ? "1 day left" : `${left} days left`}
        </span>
      </div>
      <div className="panel-body stack g-3">
        <svg
          className="meter" viewBox={`0 0 ${whole} 6`} preserveAspectRatio="none" role="img" aria-label={`${used} of ${whole} days used`}
        >
          <rect className="track" width={whole} height="6" />
          <rect className={fill} width={used} height="6" />
        </svg>
        <dl className="facts-rows">
          <div><dt>Subject</dt><dd className="wrap-any">{certificate.subject}</dd></div>
          <div><dt>Issuer</dt><dd className="wrap-any">{certificate.issuer}</dd></div>
          <div><dt>Valid to</dt><dd><Moment value={certificate.validTo} form="date" /></dd></div>
          <div><dt>Fingerprint</dt><dd><code className="tiny wrap-any">{certificate.fingerprint}</code></dd></div>
        </dl>
      </div>
    </section>
  );
}

function HeartbeatRules({ config }: { config: Record<string, unknown> }) {
  const seconds = (name: string) => (typeof config[name] === "number" ? durationText((config[name] as number) * 1000) : undefined);
  const schedule = config.schedule as { cron?: string | null; timeZone?: string | null } | undefined;
  const start = seconds("startGraceSeconds");
  const most = seconds("maxDurationSeconds");
  return (
    <>
      <div><dt>Schedule</dt><dd>{scheduleWords(config)}</dd></div>
      {schedule?.cron && <div><dt>Cron</dt><dd><code>{schedule.cron}</code> in {schedule.timeZone ?? "UTC"}</dd></div>}
      <div><dt>Grace</dt><dd>{seconds("graceSeconds") ?? durationText(300_000)}</dd></div>
      <div><dt>Start</dt><dd>{start ? `at most ${start} late` : "not required"}</dd></div>
      <div><dt>Duration</dt><dd>{most ? `at most ${most}` : "no limit"}</dd></div>
      <div><dt>Methods</dt><dd>{config.methods === "post" ? "POST only" : "GET and POST"}</dd></div>
    </>
  );
}

function CheckRules({ monitor }: { monitor: Monitor }) {
  const config = monitor.config as Record<string, unknown>;
  const retry = retryOf(config, intervalOf(monitor));
  return (
    <>
      <div><dt>Type</dt><dd>{typeWord(monitor.type)}</dd></div>
      <div>
        <dt>Interval</dt>
        <dd>{durationText(intervalOf(monitor) * 1000)}, timeout {durationText(timeoutOf(config, intervalOf(monitor)) * 1000)}</dd>
      </div>
      <div>
        <dt>Retries</dt>
        <dd>{retry.delays.length ? `${retry.delays.length}, after ${retry.delays.map((delay) => `${delay} s`).join(", ")}` : "none"}</dd>
      </div>
      {typeof config.degradedAfterMs === "number" && <div><dt>Degraded</dt><dd>from {milliseconds(config.degradedAfterMs)}</dd></div>}
    </>
  );
}

/** The names of the providers, which this reads only where there are any. */
function ProviderNames({ ids }: { ids: readonly string[] }) {
  const providers = useProviders();
  const name = (id: string) => providers.data?.rows.find((one) => one.id === id)?.name ?? "…";
  return <>{ids.map((id, place) => <span key={id}>{place > 0 && ", "}<bdi>{name(id)}</bdi></span>)}</>;
}

/** The names of the monitors that this one needs, which this reads only where there are any. */
function MonitorNames({ ids }: { ids: readonly string[] }) {
  const { path } = useProject();
  const nameOf = useMonitorNames(ids);
  return (
    <>
      {ids.map((id, place) => (
        <span key={id}>{place > 0 && ", "}<Link to={path("monitors", id)} dir="auto">{nameOf(id)}</Link></span>
      ))}
    </>
  );
}

/** Facts of a monitor that rarely change. */
export function MonitorAside({ monitor }: { monitor: Monitor }) {
  const { path, project } = useProject();
  const alerts = monitor.alertConfig;
  const notified = alerts?.enabled ? alerts.notificationProviders ?? [] : [];
  const heartbeat = monitor.type === "heartbeat";
  const good = monitor.recentResults?.find((one) => one.isUp && one.details.timings);
  const certificate = monitor.recentResults?.find((one) => one.details.sslCertificate)?.details.sslCertificate;
  return (
    <aside className="stack g-6" aria-label={`About the ${heartbeat ? "heartbeat" : "monitor"}`}>
      {good && (
        <section className="panel" aria-labelledby="timings-head">
          <div className="panel-head"><h2 id="timings-head">Timings of the last good check</h2></div>
          <div className="panel-body"><Timings timings={good.details.timings} caption="Timings of the last good check" /></div>
        </section>
      )}
      {certificate && <CertificatePanel certificate={certificate} />}
      <PlannedWork monitor={monitor} />
      <section className="panel" aria-labelledby="settings-head">
        <div className="panel-head">
          <h2 id="settings-head">{heartbeat ? "Schedule" : "Settings"}</h2>
          {hasRole(project.role, "project_editor") && !monitor.deletedAt
            && <Link className="more" to={path("monitors", monitor.id, "edit")}>Edit</Link>}
        </div>
        <div className="panel-body stack g-3">
          {monitor.description && <p className="small wrap-any" dir="auto">{monitor.description}</p>}
          <dl className="facts-rows">
            {heartbeat ? <HeartbeatRules config={monitor.config as Record<string, unknown>} /> : <CheckRules monitor={monitor} />}
            <div><dt>Down after</dt><dd>{alerts?.failureThreshold ?? 1} failed</dd></div>
            <div>
              <dt>Notifies</dt>
              <dd>{notified.length ? <ProviderNames ids={notified} /> : "nobody"}</dd>
            </div>
            {alerts?.enabled && alerts.reminderMinutes && (
              <div><dt>Reminder</dt><dd>every {durationText(alerts.reminderMinutes * 60_000)}</dd></div>
            )}
            {monitor.dependsOn.length > 0 && <div><dt>Depends on</dt><dd><MonitorNames ids={monitor.dependsOn} /></dd></div>}
            {monitor.tags.length > 0 && (
              <div>
                <dt>Tags</dt>
                <dd className="row g-1">
                  {monitor.tags.map((tag) => (
                    <Link className="tag" to={path("monitors")} search={{ tag: tag.name }} key={tag.id}>{tag.name}</Link>
                  ))}
                </dd>
              </div>
            )}
            <div><dt>Created</dt><dd><Moment value={monitor.createdAt} form="date" /></dd></div>
          </dl>
        </div>
      </section>
    </aside>
  );
}
