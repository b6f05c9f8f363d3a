// Fixed answers of a shop that is watched, for pictures: the project of the tests has the monitors and alerts of other tests.

const MINUTE = 60_000, HOUR = 60 * MINUTE;
const DOWN_FOR = 12 * MINUTE;
const idOf = (kind, number) => `01934f2e-${kind}-7d3e-9b1f-${String(number).padStart(12, "0")}`;
const pageOf = (data, limit) => ({ data, pagination: { total: data.length, page: 1, limit, hasMore: false } });

function monitor(now, number, name, type, target, status, milliseconds, config = {}) {
  const ago = (time) => new Date(now - time).toISOString();
  const changed = status === "down" ? ago(DOWN_FOR) : ago(40 * HOUR);
  return {
    id: idOf("6666", number), name, description: null, type, target, frequencyMinutes: 1, frequencySeconds: null,
    enabled: status !== "paused", config, alertConfig: null, dependsOn: [], mutedUntil: null, status, reason: null, suspectSince: null,
    flapping: false, lastCheckAt: ago(20_000), nextCheckAt: status === "paused" ? null : new Date(now + number * 7_000).toISOString(),
    lastStatusChangeAt: changed, lastResponseTimeMs: milliseconds, locations: [], openOutageId: status === "down" ? idOf("5555", 1) : null,
    maintenance: null, tags: [], maskedFields: [], deletedAt: null, createdBy: idOf("0000", 1), createdAt: ago(900 * HOUR),
    updatedAt: ago(200 * HOUR),
  };
}

/** 24 hours, of which some are partly down: hours ago and minutes of downtime. */
function bar(now, { id, status }, downtimes) {
  const start = Math.floor(now / HOUR) * HOUR;
  const cells = Array.from({ length: 24 }, (_, at) => ({
    start: new Date(start - (23 - at) * HOUR).toISOString(), observedSeconds: status === "paused" ? 0 : 3_600,
    downMs: (downtimes.find(([hours]) => hours === 23 - at)?.[1] ?? 0) * MINUTE,
  }));
  return { id, cells };
}

function alert(now, number, type, target, message, cause, provider, minutes, more = {}) {
  const at = new Date(now - minutes * MINUTE).toISOString();
  return {
    id: idOf("bbbb", number), type, targetType: "monitor", targetId: target.id, targetName: target.name,
    message: cause ? `${message}: ${cause}` : message, status: "sent", suppressedBy: null, providerId: provider.id,
    notificationProvider: provider.name, outageId: idOf("5555", number), runId: null, reminder: 0, attempts: 1, grouped: false,
    maybeRepeated: false, lastAttemptAt: at, nextAttemptAt: null, sentAt: at, error: null, timestamp: at,
    metadata: { errorMessage: cause ?? null }, ...more,
  };
}

/** Returns the answers of the service by their paths, as they are at this time. */
export function watchedShop(now) {
  const monitors = [
    monitor(now, 1, "Checkout API", "http_request", "https://shop.example.com/api/checkout", "down", null, { method: "POST" }),
    monitor(now, 2, "Search", "http_request", "https://shop.example.com/search?q=tea", "degraded", 1_840),
    monitor(now, 3, "Nightly backup", "heartbeat", null, "up", null, { schedule: { cron: "30 2 * * *" } }),
    monitor(now, 4, "Mail records", "dns", "shop.example.com", "up", 12, { recordType: "MX" }),
    monitor(now, 5, "Mail server", "port_check", "mail.shop.example.com", "up", 31, { port: 25 }),
    monitor(now, 6, "Shop front", "website", "https://shop.example.com/", "up", 214),
    monitor(now, 7, "Old shop", "website", "https://old.shop.example.com/", "paused", null),
  ];
  const [checkout, search, backup] = monitors;
  const providers = [["on call", "pagerduty"], ["#shop-alerts", "slack"]].map(([name, type], at) => ({
    id: idOf("7777", at + 1), name, type, enabled: true,
  }));
  const [onCall, chat] = providers;
  const refused = "503 instead of 200–299";
  const down = `${checkout.name} has been down for 12 min`;
  const alerts = [
    alert(now, 1, "monitor_failure", checkout, down, refused, onCall, 11),
    alert(now, 2, "monitor_failure", checkout, down, refused, chat, 11, {
      status: "pending", sentAt: null, attempts: 1, nextAttemptAt: new Date(now + 25_000).toISOString(),
      error: { reason: "timeout", status: null },
    }),
    alert(now, 3, "monitor_degraded", search, `${search.name} is degraded`, "1 840 ms are above the limit of 1 500 ms", chat, 95),
    alert(now, 4, "monitor_recovery", backup, `${backup.name} recovered after 18 min`, undefined, chat, 640),
    alert(now, 5, "monitor_failure", backup, `${backup.name} has been down since 02:35`, "No ping arrived in time", chat, 658, {
      status: "failed", sentAt: null, attempts: 10, error: { reason: "auth_failed", status: 401 },
    }),
  ];
  const downtimes = new Map([[checkout, [[0, 12], [9, 60], [8, 25]]], [backup, [[11, 18]]]]);
  const counts = { up: 4, degraded: 1, down: 1, error: 0, pending: 0, paused: 1 };
  return {
    "/api/monitors": pageOf(monitors, 50),
    "/dashboard/v1/monitors/bars": { monitors: monitors.map((one) => bar(now, one, downtimes.get(one) ?? [])) },
    "/api/alerts": pageOf(alerts, 50),
    "/api/notification-providers": pageOf(providers, 100),
    "/dashboard/v1/overview": {
      jobs: [], last24h: { passed: 0, failed: 0, error: 0, timedOut: 0, cancelled: 0, atLeast: false, hours: [] },
      queue: { queued: 0, running: 0 }, monitors: counts, openOutages: 1,
      asOf: new Date(now).toISOString(),
    },
  };
}
