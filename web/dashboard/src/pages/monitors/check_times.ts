/** Times of one check, as the service computes them from a config. */

interface Retry {
  maxRetries?: number;
  delaySeconds?: number;
  backoffFactor?: number;
}

export const LONGEST_SHARE = 0.8;

/** Returns the seconds of an attempt: 10, or a fifth of the interval if that is less. */
export const timeoutOf = (config: Record<string, unknown>, interval: number): number =>
  typeof config.timeoutSeconds === "number" ? config.timeoutSeconds : Math.max(1, Math.min(10, Math.floor(interval / 5)));

/** Returns the pauses before the retries of a check, in seconds. */
export function retryOf(config: Record<string, unknown>, interval: number): { delays: number[] } {
  const retry = (config.retryStrategy ?? {}) as Retry;
  const count = retry.maxRetries ?? (interval < 30 ? 1 : 2);
  const first = retry.delaySeconds ?? 1;
  const factor = retry.backoffFactor ?? 2;
  return { delays: Array.from({ length: count }, (_, at) => first * factor ** at) };
}

/** Returns the most seconds that a check takes, and how many it may take. */
export function checkTime(config: Record<string, unknown>, interval: number): { most: number; limit: number } {
  const { delays } = retryOf(config, interval);
  const attempts = (delays.length + 1) * timeoutOf(config, interval);
  return { most: attempts + delays.reduce((sum, one) => sum + one, 0), limit: interval * LONGEST_SHARE };
}
