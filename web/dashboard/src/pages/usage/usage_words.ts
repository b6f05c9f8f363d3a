import type { StateLook } from "../../parts/states";
import { numberText } from "../../time/format";

export interface Use {
  used: number;
  /** Null: there is no limit. */
  limit: number | null;
}

/** Names of the quotas, and a sentence where the name does not say enough. A quota of a newer service has its API name. */
const QUOTAS: Record<string, readonly [string, string?]> = {
  cliTokens: ["CLI tokens"],
  triggerKeysOfOneJob: ["Trigger keys of one job", "Count of the job with the most keys"],
  jobs: ["Jobs"],
  monitors: ["Monitors"],
  tests: ["Tests"],
  scriptBytes: ["Scripts"],
  tags: ["Tags"],
  variables: ["Variables"],
  variableBytes: ["Values of variables"],
  notificationProviders: ["Notification providers"],
  maintenanceWindows: ["Maintenance windows", "Finished ones do not count"],
  statusPages: ["Status pages"],
  pageBytes: ["Posts of status pages"],
  outputBytes: ["Output", "Compressed. The oldest output is deleted at the limit."],
  queuedRuns: ["Queued runs"],
};

export interface Quota extends Use {
  id: string;
  name: string;
  note?: string;
  /** A number of bytes. */
  bytes: boolean;
}

/** Returns the share of the limit that is used, from 0 to 1 or above; 0 without a limit. */
export const shareOf = ({ used, limit }: Use): number => (limit ? used / limit : 0);

/** Sorts by share, the fullest first; others keep their order. */
export const fullestFirst = <T extends Use>(rows: readonly T[]): T[] => [...rows].sort((a, b) => shareOf(b) - shareOf(a));

/** Returns the quotas of the answer, the fullest first. */
export const quotasOf = (usage: Readonly<Record<string, Use>>): Quota[] =>
  fullestFirst(Object.entries(usage).map(([id, { used, limit }]) => {
    const [name, note] = QUOTAS[id] ?? [id];
    return { id, name, note, used, limit, bytes: id.endsWith("Bytes") };
  }));

const NEARLY = 0.9;

/** Returns the look of a use: full, nearly full, below its limit or without one. `full` is the word for a use at its limit. */
export function lookOf(use: Use, full = "Full"): StateLook {
  if (use.limit === null) return { word: "No limit", sign: "passed", look: "s-active" };
  const share = shareOf(use);
  if (share >= 1) return { word: full, sign: "failed", look: "s-failed" };
  if (share >= NEARLY) return { word: "Nearly full", sign: "degraded", look: "s-warning" };
  return { word: "Below limit", sign: "passed", look: "s-active" };
}

/** Returns the words of a share, cut and never rounded up: `92 % used`, `less than 1 % used`. */
export function shareWords(use: Use): string {
  const share = shareOf(use);
  if (use.used > 0 && share < 0.01) return "less than 1\u00a0% used";
  return `${numberText(Math.floor(share * 100 + 1e-9))}\u00a0% used`;
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** Cut, so that a use below its limit never reads as the limit. */
function inUnit(bytes: number, unit: number): string {
  const value = bytes / 1024 ** unit;
  return unit === 0 || value >= 100 || Number.isInteger(value) ? numberText(Math.floor(value)) : (Math.floor(value * 10) / 10).toFixed(1);
}

const unitOf = (bytes: number): number => Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));

/** Returns `4.6 of 5 GiB`, `38 KiB of 16 MiB`, `8 of 20` or, without a limit, `12`. */
export function usedText({ used, limit, bytes }: Use & { bytes: boolean }): string {
  const text = (value: number, unit: number) => `${inUnit(value, unit)}\u00a0${UNITS[unit]}`;
  if (!bytes) return limit === null ? numberText(used) : `${numberText(used)} of ${numberText(limit)}`;
  const own = unitOf(used);
  if (limit === null) return text(used, own);
  const unit = unitOf(limit);
  // Close units need one word only, as long as the number keeps two digits.
  if (used === 0 || own === unit || used / 1024 ** unit >= 0.1) return `${inUnit(used, unit)} of ${text(limit, unit)}`;
  return `${text(used, own)} of ${text(limit, unit)}`;
}

const KINDS: Record<string, string> = {
  project: "All trigger keys of the project", cli: "CLI token", test: "Test token",
};

/** Returns the kind of a credential in words. */
export function credentialWords({ kind, jobName }: { kind: string; jobName?: string }): string {
  if (kind === "trigger" || kind === "legacy_trigger") return jobName ? `Trigger key of ${jobName}` : "Trigger key";
  return KINDS[kind] ?? kind;
}
