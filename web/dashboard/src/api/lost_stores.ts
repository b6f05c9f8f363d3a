import { type Sleep, sleep } from "./sleep";

/** The stores of the service, by their names in `GET /api/health`. */
export const STORES = ["postgres", "redis"] as const;
export type Store = (typeof STORES)[number];

export interface LostStoresOptions {
  /** Returns the stores that the service cannot reach; fails if it does not answer. */
  ask: () => Promise<readonly Store[]>;
  /** False while nobody sees the tab: then nothing is asked. */
  isVisible: () => boolean;
  /** Called when all stores are back. */
  onBack: () => void;
  sleep?: Sleep;
}

/** Milliseconds between two questions. */
export const HEALTH_PAUSE = 5_000;
/** Milliseconds from a good answer to the one that confirms it: a banner that is no longer true misleads. */
export const CONFIRM_PAUSE = 1_000;
// Each worker of an instance knows of its own connections only, and another one may answer the next question.
const GOOD_ANSWERS = 2;

/** Knows which stores the service has lost. It asks after a sign of that, until all are back. One object serves the whole tab. */
export class LostStores {
  private lost: readonly Store[] = [];
  private asks = false;
  private readonly listeners = new Set<() => void>();
  private readonly sleep: Sleep;

  constructor(private readonly options: LostStoresOptions) {
    this.sleep = options.sleep ?? sleep;
  }

  readonly current = (): readonly Store[] => this.lost;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** A request or a stream behaves as if a store were lost. */
  readonly suspect = (): void => {
    if (!this.asks) void this.follow();
  };

  private async follow(): Promise<void> {
    this.asks = true;
    for (let good = 0; good < GOOD_ANSWERS;) {
      const found = this.options.isVisible() ? await this.options.ask().catch(() => undefined) : undefined;
      if (found?.length) this.set(found);
      good = found?.length ? 0 : good + (found ? 1 : 0);
      // Without a banner nothing misleads, and workers need time to notice a loss.
      if (good < GOOD_ANSWERS) await this.sleep(found && good && this.lost.length ? CONFIRM_PAUSE : HEALTH_PAUSE);
    }
    this.asks = false;
    if (!this.lost.length) return;
    this.set([]);
    this.options.onBack();
  }

  private set(lost: readonly Store[]): void {
    if (lost.join() === this.lost.join()) return;
    this.lost = lost;
    for (const listener of this.listeners) listener();
  }
}
