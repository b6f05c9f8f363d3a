import { DISABLED, type StateLook } from "../../parts/states";
import type { Provider, ProviderType } from "./provider_queries";

export const PROVIDER_TYPES: readonly (readonly [ProviderType, string])[] = [
  ["email", "E-mail"], ["slack", "Slack"], ["webhook", "Webhook"], ["telegram", "Telegram"], ["discord", "Discord"], ["teams", "Teams"],
  ["pagerduty", "PagerDuty"], ["ntfy", "ntfy"],
];

export const providerTypeWord = (type: string): string => PROVIDER_TYPES.find(([key]) => key === type)?.[1] ?? type;

/** Returns the look of a provider: what the newest attempt says, unless it is disabled. */
export function providerState(provider: Pick<Provider, "enabled" | "health">): StateLook {
  if (!provider.enabled) return DISABLED;
  if (provider.health === "failing") return { word: "Failing", sign: "failed", look: "s-failed" };
  if (provider.health === "ok") return { word: "Works", sign: "passed", look: "s-passed" };
  return { word: "Never used", sign: "queued", look: "s-pending" };
}

const REASONS: Record<string, string> = {
  delivered: "Delivered",
  invalid_config: "The config is wrong",
  address_blocked: "The address is closed to the service",
  dns_failed: "The name has no address",
  connect_failed: "No connection",
  tls_failed: "TLS failed",
  timeout: "No answer in time",
  auth_failed: "The credentials were not accepted",
  refused: "The receiver refused it",
  rejected: "The receiver rejected it",
  rate_limited: "The receiver asks for a pause",
  smtp_unconfigured: "The operator has configured no mail server",
  mail_limit_reached: "The limit of mails is reached",
  recipient_not_allowed: "The operator permits no mail to a recipient",
};

/** Returns the words for the reason of a failed delivery. */
export const reasonWords = (reason: string): string => REASONS[reason] ?? reason;
