/** The part of a list that can be seen, and how it scrolls. All numbers are pixels. */
export interface Viewport {
  readonly height: number;
  /** Distance of the list's start from the top of the view; negative if the start is above. */
  top(): number;
  /** True if at most this much of the content is below the view. */
  isAtEnd(slack: number): boolean;
  toEnd(): void;
  /** Brings a place of the list to the top of the view. */
  scrollTo(offset: number): void;
  /** Calls the listener after each scrolling; returns the act that stops that. */
  listen(listener: () => void): () => void;
}

/** The list is a part of the page, and the page scrolls. */
export function pageViewport(list: HTMLElement): Viewport {
  return {
    get height() {
      return innerHeight;
    },
    top: () => list.getBoundingClientRect().top,
    isAtEnd: (slack) => scrollY + innerHeight >= document.documentElement.scrollHeight - slack,
    toEnd: () => scrollTo({ top: document.documentElement.scrollHeight }),
    scrollTo: (offset) => scrollTo({ top: list.getBoundingClientRect().top + scrollY + offset }),
    listen: (listener) => {
      addEventListener("scroll", listener, { passive: true });
      return () => removeEventListener("scroll", listener);
    },
  };
}

/** The list has a height of its own and scrolls, so that what stands next to it stays where it is. */
export function boxViewport(list: HTMLElement): Viewport {
  return {
    get height() {
      return list.clientHeight;
    },
    top: () => -list.scrollTop,
    isAtEnd: (slack) => list.scrollTop + list.clientHeight >= list.scrollHeight - slack,
    toEnd: () => list.scrollTo({ top: list.scrollHeight }),
    scrollTo: (offset) => list.scrollTo({ top: offset }),
    listen: (listener) => {
      list.addEventListener("scroll", listener, { passive: true });
      return () => list.removeEventListener("scroll", listener);
    },
  };
}
