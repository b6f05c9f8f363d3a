import type { Visibility } from "../api/visibility";

/**
 * Notifies all listeners in the same moment: every `every` milliseconds while the tab is visible, and at once when it is visible again.
 * It has one timer, which exists while somebody listens.
 */
export class Ticker {
  private readonly listeners = new Set<(now: Date) => void>();
  private stop = (): void => {};

  constructor(
    private readonly every: number,
    private readonly tab: Pick<Visibility, "visible" | "listen">,
  ) {}

  /** Adds a listener. Returns the function that removes it. */
  listen(listener: (now: Date) => void): () => void {
    if (this.listeners.size === 0) this.start();
    this.listeners.add(listener);
    return () => {
      if (this.listeners.delete(listener) && this.listeners.size === 0) this.stop();
    };
  }

  private start(): void {
    const timer = setInterval(() => this.tab.visible && this.tick(), this.every);
    const mute = this.tab.listen((visible) => visible && this.tick());
    this.stop = () => {
      clearInterval(timer);
      mute();
    };
  }

  private tick(): void {
    const now = new Date();
    for (const listener of this.listeners) listener(now);
  }
}
