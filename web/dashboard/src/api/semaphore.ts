/** Admits a number of holders at a time, in the order in which they came. */
export class Semaphore {
  private held = 0;
  private readonly waiting: (() => void)[] = [];
  constructor(private readonly most: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.held >= this.most) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.held++;
    try {
      return await work();
    } finally {
      // The place goes directly to the next one, so that nobody can overtake it.
      const next = this.waiting.shift();
      if (next) next();
      else this.held--;
    }
  }
}
