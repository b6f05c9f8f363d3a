import type { PageComponent } from "../page_queries";

/** The most that a position can be; the contract has the same. */
export const MOST_POSITION = 9999;

type Placed = Pick<PageComponent, "id" | "position">;

/**
 * Returns the longest part of the list that can keep its positions: they grow, with room for the components between them, before
 * the first and after the last one.
 */
function keptOf(order: readonly Placed[]): Set<number> {
  const fits = (at: number) => order[at]!.position >= at && MOST_POSITION - order[at]!.position >= order.length - 1 - at;
  const best: { length: number; before: number }[] = order.map(() => ({ length: 0, before: -1 }));
  let last = -1;
  order.forEach((one, at) => {
    if (!fits(at)) return;
    best[at] = { length: 1, before: -1 };
    for (let before = 0; before < at; before++) {
      const room = one.position - order[before]!.position >= at - before;
      if (room && best[before]!.length > 0 && best[before]!.length + 1 > best[at]!.length) {
        best[at] = { length: best[before]!.length + 1, before };
      }
    }
    if (last < 0 || best[at]!.length > best[last]!.length) last = at;
  });
  const kept = new Set<number>();
  for (let at = last; at >= 0; at = best[at]!.before) kept.add(at);
  return kept;
}

/** Returns the new positions of as few components as possible, so that the page shows this order. */
export function newPositions(order: readonly Placed[]): { id: string; position: number }[] {
  const kept = keptOf(order);
  let next = 0;
  return order.flatMap((one, at) => {
    if (kept.has(at)) {
      next = one.position + 1;
      return [];
    }
    return [{ id: one.id, position: next++ }];
  });
}

/** Returns the place after all components. */
export const lastPosition = (components: readonly Placed[]): number =>
  Math.min(MOST_POSITION, Math.max(-1, ...components.map((one) => one.position)) + 1);

/** Returns the things in the order of these ids. Those without a place there follow, and ids without a thing are left out. */
export function inOrder<T extends { id: string }>(things: readonly T[], ids: readonly string[]): T[] {
  const places = new Map(ids.map((id, at) => [id, at]));
  const place = (one: T): number => places.get(one.id) ?? ids.length;
  return [...things].sort((a, b) => place(a) - place(b));
}

/** True if both lists have the same things in the same order. */
export const samePlaces = (left: readonly Placed[], right: readonly Placed[]): boolean =>
  left.length === right.length && left.every((one, at) => one.id === right[at]!.id);
