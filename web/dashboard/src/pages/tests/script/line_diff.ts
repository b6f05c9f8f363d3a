/** A place where two texts differ, in lines counted from 0. One of the two ranges may be empty. */
export interface LineChange {
  savedFrom: number;
  savedTo: number;
  ownFrom: number;
  ownTo: number;
}

/** Texts with more changed lines than this count as one change, so that the time of a comparison is bounded. */
export const MOST_EDITS = 500;

/**
 * Returns pairs of equal lines in their order, by the greedy algorithm of E. Myers, "An O(ND) Difference Algorithm" (1986).
 * Returns no pair if more than `MOST_EDITS` lines were removed or added.
 */
function equalLines(saved: readonly string[], own: readonly string[]): [number, number][] {
  const most = Math.min(saved.length + own.length, MOST_EDITS);
  const middle = most + 1;
  const ends = new Int32Array(2 * most + 3);
  const rounds: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits++) {
    rounds.push(ends.slice());
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = startOf(ends, middle, diagonal, edits).x;
      while (x < saved.length && x - diagonal < own.length && saved[x] === own[x - diagonal]) x++;
      ends[middle + diagonal] = x;
      if (x >= saved.length && x - diagonal >= own.length) return walkBack(rounds, middle, saved.length, own.length);
    }
  }
  return [];
}

/** Returns where a diagonal starts in this round, and the diagonal that it comes from. */
function startOf(ends: Int32Array, middle: number, diagonal: number, edits: number): { x: number; source: number } {
  const above = ends[middle + diagonal + 1]!;
  const left = ends[middle + diagonal - 1]!;
  const added = diagonal === -edits || (diagonal !== edits && left < above);
  return added ? { x: above, source: diagonal + 1 } : { x: left + 1, source: diagonal - 1 };
}

function walkBack(rounds: readonly Int32Array[], middle: number, savedLength: number, ownLength: number): [number, number][] {
  const pairs: [number, number][] = [];
  let [x, y] = [savedLength, ownLength];
  for (let edits = rounds.length - 1; edits >= 0; edits--) {
    const { source } = startOf(rounds[edits]!, middle, x - y, edits);
    const before = rounds[edits]![middle + source]!;
    for (; x > before && y > before - source; x--, y--) pairs.push([x - 1, y - 1]);
    [x, y] = [before, before - source];
  }
  return pairs.reverse();
}

/** Returns the places where the own lines differ from the saved ones, from the first to the last. */
export function changedLines(saved: readonly string[], own: readonly string[]): LineChange[] {
  const shorter = Math.min(saved.length, own.length);
  let start = 0;
  while (start < shorter && saved[start] === own[start]) start++;
  let end = 0;
  while (end < shorter - start && saved[saved.length - 1 - end] === own[own.length - 1 - end]) end++;
  const rest = [saved.length - start - end, own.length - start - end] as const;
  const pairs = equalLines(saved.slice(start, start + rest[0]), own.slice(start, start + rest[1]));
  const changes: LineChange[] = [];
  let [savedAt, ownAt] = [0, 0];
  for (const [x, y] of [...pairs, rest]) {
    if (x > savedAt || y > ownAt) {
      changes.push({ savedFrom: start + savedAt, savedTo: start + x, ownFrom: start + ownAt, ownTo: start + y });
    }
    [savedAt, ownAt] = [x + 1, y + 1];
  }
  return changes;
}

/** Returns "line 12", "lines 3 and 12" or "5 places" for a sentence; numbers are those of the own text. */
export function placesText(changes: readonly LineChange[]): string {
  const lines = changes.map((one) => one.ownFrom + 1);
  if (lines.length === 1) return `line ${lines[0]}`;
  return lines.length === 2 ? `lines ${lines[0]} and ${lines[1]}` : `${lines.length} places`;
}
