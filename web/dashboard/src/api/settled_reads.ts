/**
 * Reads an answer that the service may repeat for some seconds. The first change is read at once. That answer may predate the
 * change, so it is read again after `pause` milliseconds; changes in between cause no read of their own.
 */
export class SettledReads {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private again = false;

  /** `pause` must be longer than the service repeats an answer. */
  constructor(
    private readonly read: () => void,
    private readonly pause: number,
  ) {}

  readonly changed = (): void => {
    if (this.timer !== undefined) {
      this.again = true;
      return;
    }
    this.read();
    this.wait();
  };

  /** No read follows. */
  stop(): void {
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
