/** Up to this number all lines are mounted, so that the browser's own search, selection and screen readers see them. */
export const MOUNT_ALL = 5_000;
export const BLOCK = 50;
export const LINE_HEIGHT = 21;
/** Pixels around the view that are mounted with it. */
export const MARGIN = 200 * LINE_HEIGHT;

export interface Range {
  /** First and one past the last block. */
  from: number;
  to: number;
}

/** Heights of blocks of lines: measured ones, and estimates for blocks that were never mounted. */
export class BlockHeights {
  private heights: (number | undefined)[] = [];
  private measured = 0;
  private measuredSum = 0;

  set(block: number, height: number): void {
    const before = this.heights[block];
    if (before === undefined) this.measured++;
    this.measuredSum += height - (before ?? 0);
    this.heights[block] = height;
  }

  has(block: number): boolean {
    return this.heights[block] !== undefined;
  }

  /** Forgets all heights, for example after a change of the width. */
  clear(): void {
    this.heights = [];
    this.measured = 0;
    this.measuredSum = 0;
  }

  height(block: number, lines = BLOCK): number {
    const known = this.heights[block];
    if (known !== undefined) return known;
    const average = this.measured ? this.measuredSum / this.measured / BLOCK : LINE_HEIGHT;
    return average * lines;
  }

  /** Returns the height of the blocks [from, to), where the list has `lines` lines. */
  sum(from: number, to: number, lines: number): number {
    let sum = 0;
    for (let block = from; block < to; block++) sum += this.height(block, Math.min(BLOCK, lines - block * BLOCK));
    return sum;
  }
}

/** Returns the blocks that show from `top` to `bottom` (pixels from the start of the list) and `margin` pixels around them. */
export function blocksAround(heights: BlockHeights, lines: number, top: number, bottom: number, margin: number): Range {
  const blocks = Math.ceil(lines / BLOCK);
  let from = 0;
  let at = 0;
  while (from < blocks - 1 && at + heights.sum(from, from + 1, lines) < top - margin) {
    at += heights.sum(from, from + 1, lines);
    from++;
  }
  let to = from;
  while (to < blocks && (at < bottom + margin || to === from)) {
    at += heights.sum(to, to + 1, lines);
    to++;
  }
  return { from, to };
}

// One frame mounts and unmounts at most these many blocks, so that no task is long.
export const MOUNTED_PER_FRAME = 4;
export const UNMOUNTED_PER_FRAME = 16;

/**
 * Returns the blocks to mount next on the way from `now` to `wanted`, which contains the view. Blocks of the view are mounted at
 * once; those around it come and go some at a time. The result equals `wanted` when the way is done.
 */
export function nextBlocks(now: Range, wanted: Range, view: Range): Range {
  const apart = now.to <= view.from || now.from >= view.to;
  const from = apart ? view.from : Math.min(now.from, view.from);
  const to = apart ? view.to : Math.max(now.to, view.to);
  return {
    from: wanted.from < from ? Math.max(wanted.from, from - MOUNTED_PER_FRAME) : Math.min(wanted.from, from + UNMOUNTED_PER_FRAME),
    to: wanted.to > to ? Math.min(wanted.to, to + MOUNTED_PER_FRAME) : Math.max(wanted.to, to - UNMOUNTED_PER_FRAME),
  };
}

/** Returns the lines that `#L120` or `#L120-140` names, or undefined. */
export function linesOfHash(hash: string): [number, number] | undefined {
  const found = /^#?L(\d{1,9})(?:-L?(\d{1,9}))?$/.exec(hash);
  if (!found) return undefined;
  const first = Number(found[1]);
  const last = Number(found[2] ?? found[1]);
  if (first < 1) return undefined;
  return first <= last ? [first, last] : [Math.max(last, 1), first];
}
