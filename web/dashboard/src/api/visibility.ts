/** A tab counts as hidden after this time, because people switch forth and back. */
export const HIDDEN_AFTER = 10_000;

export interface VisibleDocument {
  readonly visibilityState: DocumentVisibilityState;
  addEventListener(type: "visibilitychange", listener: () => void): void;
  removeEventListener(type: "visibilitychange", listener: () => void): void;
}

/** Tells the listener when the tab has been hidden for a while, and at once when it is visible again. */
export class Visibility {
  private seen = true;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly listeners = new Set<(visible: boolean) => void>();

  constructor(
    private readonly page: VisibleDocument,
    private readonly delay = HIDDEN_AFTER,
  ) {
    page.addEventListener("visibilitychange", this.changed);
    this.changed();
  }

  get visible(): boolean {
    return this.seen;
  }

  listen(listener: (visible: boolean) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Another tab is visible and needs connections, so a hidden tab gives its own up at once. */
  readonly yield = (): void => {
    if (this.page.visibilityState === "visible") return;
    clearTimeout(this.timer);
    this.set(false);
  };

  close(): void {
    clearTimeout(this.timer);
    this.page.removeEventListener("visibilitychange", this.changed);
  }

  private readonly changed = (): void => {
    clearTimeout(this.timer);
    if (this.page.visibilityState === "visible") this.set(true);
    else this.timer = setTimeout(() => this.set(false), this.delay);
  };

  private set(visible: boolean): void {
    if (this.seen === visible) return;
    this.seen = visible;
    for (const listener of this.listeners) listener(visible);
  }
}
