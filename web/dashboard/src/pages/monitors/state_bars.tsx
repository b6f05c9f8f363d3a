import type { CellState } from "./series";

const LOOKS: readonly (readonly [CellState, string, string, number, string | undefined])[] = [
  ["up", "k-passed", "up", 12, undefined],
  ["part", "k-timed-out", "down for a part", 3.4, undefined],
  ["down", "k-failed", "down", 0, undefined],
  ["maintenance", "k-maintenance", "in maintenance", 9.1, "4 2"],
  ["unknown", "k-unknown", "not known", 17.3, "2 2"],
];
const PITCH = 8;
const HEIGHT = 24;

/** Returns a sentence such as `Last 24 hours by hour: 23 up, 1 down for a part`. */
export function barsSentence(what: string, cells: readonly CellState[]): string {
  const counts = LOOKS.map(([state, , words]) => [cells.filter((cell) => cell === state).length, words] as const);
  return `${what}: ${counts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`).join(", ")}`;
}

/** Returns the lines of a state, one for each of its cells. */
export const barPath = (cells: readonly CellState[], state: CellState, top: number): string =>
  cells.flatMap((cell, at) => (cell === state ? [`M${at * PITCH + PITCH / 2} ${HEIGHT}V${top}`] : [])).join("");

/** One bar for each hour or day: the worse, the taller. */
export function StateBars({ what, cells }: { what: string; cells: readonly CellState[] }) {
  return (
    <div className="bars" role="img" aria-label={barsSentence(what, cells)}>
      <svg viewBox={`0 0 ${cells.length * PITCH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true" strokeWidth="5.5">
        {LOOKS.map(([state, look, , top, dash]) => {
          const path = barPath(cells, state, top);
          return path && <path className={look} strokeDasharray={dash} d={path} key={state} />;
        })}
      </svg>
    </div>
  );
}
