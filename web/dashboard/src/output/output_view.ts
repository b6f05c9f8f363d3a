import { fillLine, lineElement } from "./line_element";
import { BLOCK, BlockHeights, MARGIN, MOUNT_ALL, type Range, blocksAround, nextBlocks } from "./line_window";
import type { OutputBuffer } from "./output_buffer";
import { matchesIn } from "./search";
import { type Viewport, pageViewport } from "./viewport";

export interface ViewState {
  following: boolean;
  /** Lines that arrived since the view stopped following. */
  unseen: number;
  /** The selected lines. */
  selected: [number, number] | undefined;
}

// A view this near to the end follows.
const END_SLACK = 48;
// More lines than this in one frame are a flood. Lines outside the view are mounted when the flood has been over for a while,
// because a list that grows quickly would mount them in vain.
const FLOOD = 50;
const CALM = 300;

/**
 * Shows the lines of a buffer in a list. The page scrolls unless another viewport is given. React owns the list element and nothing in it.
 * Up to 5 000 lines all are mounted; above that blocks around the view, between two spacers.
 */
export class OutputView {
  private readonly heights = new BlockHeights();
  private readonly top = spacer();
  private readonly bottom = spacer();
  private blocks = new Map<number, HTMLLIElement[]>();
  private mounted: Range = { from: 0, to: 0 };
  /** True if all lines are mounted or about to be. */
  private whole = false;
  private floodAt = -CALM;
  /** Milliseconds until the last flood counts as over. */
  private flooded = 0;
  private calm: ReturnType<typeof setTimeout> | undefined;
  private shownLast = 0;
  private firstLine = 1;
  private words = "";
  private state: ViewState = { following: false, unseen: 0, selected: undefined };
  private marked = false;
  private frame = 0;
  private width = 0;
  private readonly resize: ResizeObserver;
  private readonly mute: () => void;

  constructor(
    private readonly list: HTMLOListElement,
    private readonly buffer: OutputBuffer,
    private readonly onState: (state: ViewState) => void,
    private readonly viewport: Viewport = pageViewport(list),
  ) {
    list.replaceChildren(this.top, this.bottom);
    list.addEventListener("click", this.click);
    list.addEventListener("copy", this.copy);
    this.mute = viewport.listen(this.scroll);
    this.resize = new ResizeObserver(() => {
      if (list.clientWidth === this.width) return;
      this.width = list.clientWidth;
      this.reflowed();
    });
    this.resize.observe(list);
  }

  destroy(): void {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.calm);
    this.resize.disconnect();
    this.mute();
    this.list.removeEventListener("click", this.click);
    this.list.removeEventListener("copy", this.copy);
    this.list.replaceChildren();
  }

  /** The buffer has more lines. */
  appended(): void {
    this.schedule();
  }

  follow(on: boolean): void {
    this.set({ following: on, unseen: 0 });
    if (on) this.schedule();
  }

  search(words: string): void {
    const before = this.words;
    this.words = words;
    for (const items of this.blocks.values()) {
      for (const item of items) {
        const text = this.buffer.text(Number(item.id.slice(1)));
        if (matchesIn(text, before).length || matchesIn(text, words).length) this.refill(item);
      }
    }
  }

  /** Lines are broken differently now. */
  reflowed(): void {
    this.heights.clear();
    this.schedule();
  }

  /** Selects lines and brings the first of them into the view. */
  goTo(from: number, to = from): void {
    const first = Math.max(from, this.buffer.first);
    if (first > this.buffer.last) return;
    this.set({ following: false, selected: [from, to] });
    // The page must be as long as the output before it can scroll there.
    this.render();
    const block = this.blockOf(first);
    if (!this.blocks.has(block)) {
      this.viewport.scrollTo(this.heights.sum(0, block, this.buffer.length));
      this.render();
    }
    document.getElementById(`L${first}`)?.scrollIntoView({ block: "center" });
    this.markSelected();
  }

  private set(change: Partial<ViewState>): void {
    this.state = { ...this.state, ...change };
    this.onState(this.state);
  }

  private schedule(): void {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.render());
  }

  private readonly scroll = (): void => {
    const atEnd = this.viewport.isAtEnd(END_SLACK);
    if (atEnd !== this.state.following) this.set({ following: atEnd, unseen: atEnd ? 0 : this.state.unseen });
    if (this.buffer.length > this.blocks.size * BLOCK) this.schedule();
  };

  private readonly click = (event: Event): void => {
    const target = event.target as HTMLElement;
    if (!target.classList.contains("n")) return;
    const number = Number(target.parentElement?.id.slice(1));
    const { selected } = this.state;
    const range: [number, number] = (event as MouseEvent).shiftKey && selected
      ? [Math.min(selected[0], number), Math.max(selected[0], number)]
      : [number, number];
    this.set({ selected: range, following: false });
    this.markSelected();
  };

  /** Copies the text of all selected lines, also of those between that are not mounted, without their numbers. */
  private readonly copy = (event: ClipboardEvent): void => {
    const selection = getSelection();
    const lineOf = (node: Node | null | undefined) =>
      Number((node instanceof Element ? node : node?.parentElement)?.closest("li")?.id.slice(1)) || undefined;
    const [one, other] = [lineOf(selection?.anchorNode), lineOf(selection?.focusNode)];
    if (one === undefined || other === undefined || one === other) return;
    event.clipboardData?.setData("text/plain", this.buffer.slice(Math.min(one, other), Math.max(one, other)));
    event.preventDefault();
  };

  private blockOf(number: number): number {
    return Math.floor((number - this.buffer.first) / BLOCK);
  }

  private render(): void {
    this.frame = 0;
    if (this.buffer.first !== this.firstLine) {
      // The oldest lines are gone, so that blocks have other numbers.
      this.firstLine = this.buffer.first;
      this.heights.clear();
      this.unmountAll();
    }
    const added = this.buffer.last - this.shownLast;
    if (added > FLOOD) this.floodAt = performance.now();
    this.flooded = CALM - (performance.now() - this.floodAt);
    const wanted = this.wantedBlocks();
    this.mount(nextBlocks(this.mounted, wanted.all, wanted.view));
    if (added > 0) {
      this.shownLast = this.buffer.last;
      if (!this.state.following) this.set({ unseen: this.state.unseen + added });
    }
    if (this.state.following) this.viewport.toEnd();
    this.list.setAttribute("aria-label", `Output, lines ${this.buffer.first} to ${this.buffer.last}`);
    if (this.mounted.from !== wanted.all.from || this.mounted.to !== wanted.all.to) this.schedule();
  }

  /** Returns the blocks of the view, and those that are to be mounted when there is time for it. */
  private wantedBlocks(): { view: Range; all: Range } {
    const { length } = this.buffer;
    const blocks = Math.ceil(length / BLOCK);
    const { height } = this.viewport;
    const top = this.state.following ? this.heights.sum(0, blocks, length) - height : -this.viewport.top();
    const around = (margin: number) => blocksAround(this.heights, length, top, top + height, margin);
    const view = around(0);
    this.whole = length <= MOUNT_ALL && (this.whole || this.flooded <= 0);
    if (this.whole) return { view, all: { from: 0, to: blocks } };
    clearTimeout(this.calm);
    if (this.flooded > 0) this.calm = setTimeout(() => this.schedule(), this.flooded);
    return { view, all: this.flooded > 0 && this.state.following ? view : around(Math.max(height, MARGIN)) };
  }

  private mount(range: Range): void {
    for (const [block, items] of this.blocks) {
      if (block >= range.from && block < range.to) continue;
      for (const item of items) item.remove();
      this.blocks.delete(block);
    }
    let before: Element = this.top;
    for (let block = range.from; block < range.to; block++) {
      const items = this.blocks.get(block) ?? [];
      const first = this.buffer.first + block * BLOCK;
      const last = Math.min(first + BLOCK - 1, this.buffer.last);
      const fragment = document.createDocumentFragment();
      const anchor = items.at(-1) ?? before;
      for (let number = first + items.length; number <= last; number++) {
        const item = lineElement(this.buffer, number, this.words);
        items.push(item);
        fragment.append(item);
      }
      if (fragment.childNodes.length) anchor.after(fragment);
      this.blocks.set(block, items);
      before = items.at(-1) ?? before;
    }
    this.mounted = range;
    this.measure(range);
    setHeight(this.top, this.heights.sum(0, range.from, this.buffer.length));
    setHeight(this.bottom, this.heights.sum(range.to, Math.ceil(this.buffer.length / BLOCK), this.buffer.length));
    this.markSelected();
  }

  private measure(range: Range): void {
    if (range.from === 0 && range.to === Math.ceil(this.buffer.length / BLOCK)) return;
    // A measurement costs a layout more, and nobody reads what passes by.
    if (this.state.following && this.flooded > 0) return;
    for (let block = range.from; block < range.to; block++) {
      const items = this.blocks.get(block);
      if (items?.length !== BLOCK || this.heights.has(block)) continue;
      this.heights.set(block, items.at(-1)!.getBoundingClientRect().bottom - items[0]!.getBoundingClientRect().top);
    }
  }

  private unmountAll(): void {
    for (const items of this.blocks.values()) for (const item of items) item.remove();
    this.blocks.clear();
    this.mounted = { from: 0, to: 0 };
  }

  private refill(item: HTMLLIElement): void {
    fillLine(item.lastElementChild as HTMLElement, this.buffer, Number(item.id.slice(1)), this.words);
  }

  private markSelected(): void {
    if (!this.state.selected && !this.marked) return;
    this.marked = this.state.selected !== undefined;
    const [from, to] = this.state.selected ?? [0, -1];
    for (const old of this.list.querySelectorAll(".is-target")) {
      const number = Number(old.id.slice(1));
      if (number < from || number > to) old.classList.remove("is-target");
    }
    for (let number = Math.max(from, this.buffer.first); number <= Math.min(to, this.buffer.last); number++) {
      this.blocks.get(this.blockOf(number))?.[(number - this.buffer.first) % BLOCK]?.classList.add("is-target");
    }
  }
}

/** An empty line whose height is an SVG attribute, which the Content-Security-Policy permits. */
function spacer(): HTMLLIElement {
  const item = document.createElement("li");
  item.className = "spacer";
  item.setAttribute("aria-hidden", "true");
  const space = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  space.setAttribute("width", "1");
  item.append(space);
  setHeight(item, 0);
  return item;
}

function setHeight(item: HTMLLIElement, height: number): void {
  item.hidden = height <= 0;
  item.firstElementChild!.setAttribute("height", String(Math.round(height)));
}
