/**
 * Reads an answer that the service may repeat for some seconds. The first change is read at once. That answer may predate the
 * change, so it is read again after `pause` milliseconds; changes in between cause no read of their own.
 */
export class SettledReads {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private later: ReturnType<typeof setTimeout> | undefined;
  private again = false;

  /** `pause` must be longer than the service repeats an answer. */
  constructor(
    private readonly read: () => void,
    private readonly pause: number,
  ) {}

  readonly changed = (): void => {
    clearTimeout(this.later);
    if (this.timer !== undefined) {
      this.again = true;
      return;
    }
    this.read();
    this.wait();
  };

  /** Reads once after the pause, if nothing changes before: what the page has just read may predate a change of which no event comes. */
  readLater(): void {
    clearTimeout(this.later);
    this.later = setTimeout(this.read, this.pause);
  }

  /** No read follows. */
  stop(): void {
    clearTimeout(this.later);
    clearTimeout(this.timer);
    this.timer = undefined;
    this.again = false;
  }

  private wait(): void {
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.read();
      if (this.again) this.wait();
      this.again = false;
    }, this.pause);
  }
}
