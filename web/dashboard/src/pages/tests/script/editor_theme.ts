import { EditorView } from "@codemirror/view";

/**
 * The look of the editor, from the tokens of the design. Syntax is weight and shade, because colour means state. CodeMirror puts
 * these rules into a style element with the nonce of the page.
 */
export const editorTheme = EditorView.theme({
  "&": { minHeight: "20rem", maxHeight: "70vh", backgroundColor: "var(--surface)", color: "var(--ink)" },
  // The ring is above the line numbers and the current line, whose backgrounds would hide parts of it.
  "&.cm-focused": { outline: "none" },
  "&.cm-focused::after": {
    content: '""', position: "absolute", inset: "0", zIndex: "300", pointerEvents: "none",
    outline: "2px solid var(--focus)", outlineOffset: "-2px",
  },
  ".cm-scroller": { font: "var(--text-s)/1.3125rem var(--mono)", overflow: "auto" },
  ".cm-content": { padding: "var(--s-2) 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 var(--s-4) 0 var(--s-1)" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--ink-3)", border: "0", paddingInlineStart: "var(--s-3)" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "1.75rem", padding: "0 var(--s-3) 0 0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent", color: "inherit" },
  "&.cm-focused .cm-activeLine, &.cm-focused .cm-activeLineGutter": { backgroundColor: "var(--hover)" },
  "&.cm-focused .cm-activeLineGutter": { color: "var(--ink)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "transparent", outline: "1px solid var(--control)" },
  ".cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket": { backgroundColor: "transparent", textDecoration: "underline wavy" },
  ".cm-searchMatch": { backgroundColor: "var(--hit)", color: "var(--ink)" },
  ".cm-searchMatch-selected": { outline: "2px solid var(--ink)" },
  ".cm-panels": { backgroundColor: "var(--surface)", color: "var(--ink)", fontFamily: "var(--font)" },
  ".cm-panels-top": { borderBottom: "var(--stroke) solid var(--line)" },
  ".cm-panel.cm-search": { display: "flex", flexWrap: "wrap", alignItems: "center", gap: "var(--s-15)", padding: "var(--s-2) var(--s-3)" },
  ".cm-panel.cm-search br": { display: "none" },
  ".cm-panel.cm-search label": { display: "flex", alignItems: "center", gap: "var(--s-1)", fontSize: "var(--text-s)" },
  ".cm-textfield": {
    minHeight: "1.75rem", margin: "0", padding: "0 var(--s-2)", border: "var(--stroke) solid var(--control)",
    borderRadius: "var(--radius)", backgroundColor: "var(--surface)", color: "var(--ink)", fontSize: "var(--text-s)",
  },
  ".cm-button": {
    minHeight: "1.75rem", margin: "0", padding: "0 var(--s-2)", border: "var(--stroke) solid var(--line-2)",
    borderRadius: "var(--radius)", backgroundImage: "none", backgroundColor: "var(--surface)", color: "var(--ink)",
    fontSize: "var(--text-s)",
  },
  ".cm-panel.cm-search [name=close]": { position: "static", marginInlineStart: "auto", minWidth: "1.75rem", color: "var(--ink-2)" },
  ".tok-keyword": { fontWeight: "var(--weight-strong)" },
  ".tok-string, .tok-string2": { color: "var(--ink-2)" },
  ".tok-comment": { color: "var(--ink-3)" },
});
