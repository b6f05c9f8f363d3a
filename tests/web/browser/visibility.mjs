/** Lets a test say whether a page is visible, because a browser without a screen shows all its pages. */
export const steerVisibility = (target) => target.addInitScript(() => {
  globalThis.shownState = "visible";
  Object.defineProperty(Document.prototype, "visibilityState", { configurable: true, get: () => globalThis.shownState });
  Object.defineProperty(Document.prototype, "hidden", { configurable: true, get: () => globalThis.shownState === "hidden" });
});

const set = (page, state) => page.evaluate((next) => {
  globalThis.shownState = next;
  document.dispatchEvent(new Event("visibilitychange"));
}, state);

/** A browser draws no hidden tab. One without a screen draws all, so at least nothing moves in those that count as hidden. */
export const hide = async (page) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await set(page, "hidden");
};
export const show = async (page) => {
  await page.emulateMedia({ reducedMotion: null });
  await set(page, "visible");
};
