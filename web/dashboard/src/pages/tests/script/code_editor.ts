import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from "@codemirror/commands";
import { typescriptLanguage } from "@codemirror/lang-javascript";
import { StreamLanguage, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { shell } from "@codemirror/legacy-modes/mode/shell";
import { search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension, type Text } from "@codemirror/state";
import { EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import type { ScriptLanguage } from "../test_words";
import { editorTheme } from "./editor_theme";
import { lineChange, lineEndOf, textOf } from "./line_ends";
import type { EditorOptions, ScriptEditor } from "./script_editor";

const LANGUAGES: Record<ScriptLanguage, Extension> = { typescript: typescriptLanguage, shell: StreamLanguage.define(shell) };
const MODIFIERS = new Set(["Shift", "Control", "Alt", "Meta"]);

/** The nonce of the page's style elements; the browser hides the attribute and keeps the property. */
const styleNonce = (): string => document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";

/** After Escape the key Tab leaves the editor, until another key is pressed or the focus returns (WCAG 2.1.2). */
const leaveByTab = EditorView.domEventHandlers({
  keydown(event, view) {
    if (event.key === "Escape") {
      view.setTabFocusMode(true);
      view.dispatch({ effects: EditorView.announce.of("Tab moves out of the editor now.") });
    } else if (event.key !== "Tab" && !MODIFIERS.has(event.key)) view.setTabFocusMode(false);
    return false;
  },
  focus(_, view) {
    view.setTabFocusMode(false);
    return false;
  },
});

function keysOf({ save, execute }: EditorOptions): Extension {
  const act = (run: () => void) => () => (run(), true);
  return keymap.of([
    { key: "Mod-s", run: act(save), preventDefault: true }, { key: "Mod-Enter", run: act(execute), preventDefault: true },
    indentWithTab, ...searchKeymap, ...historyKeymap, ...defaultKeymap,
  ]);
}

function watch(options: EditorOptions): Extension {
  return EditorView.updateListener.of((update) => {
    if (update.docChanged) {
      options.onChange();
      // Tells the watch of forms that there is input, whichever way the text came in.
      if (update.transactions.some((one) => one.isUserEvent("input") || one.isUserEvent("delete"))) {
        update.view.dom.dispatchEvent(new Event("input", { bubbles: true }));
      }
    }
    if (update.docChanged || update.selectionSet) {
      const { head } = update.state.selection.main;
      const line = update.state.doc.lineAt(head);
      options.onCursor({ line: line.number, column: head - line.from + 1 });
    }
  });
}

/** Returns all extensions but the line ends and the language. */
function extensionsOf(options: EditorOptions): Extension {
  return [
    EditorView.cspNonce.of(styleNonce()), editorTheme, syntaxHighlighting(classHighlighter), lineNumbers(), highlightActiveLine(),
    highlightActiveLineGutter(), history(), bracketMatching(), indentOnInput(), indentUnit.of("  "), EditorState.tabSize.of(2),
    EditorView.lineWrapping, search({ top: true }), leaveByTab, keysOf(options), watch(options),
    EditorState.readOnly.of(options.readOnly),
    EditorView.clipboardInputFilter.of((text, state) => text.replace(/\r\n?|\n/g, state.lineBreak)),
    EditorView.contentAttributes.of({
      "aria-label": options.label, "aria-describedby": options.describedBy, spellcheck: "false", autocorrect: "off",
      autocapitalize: "off",
    }),
  ];
}

/** Shows a script in an element. CodeMirror owns what is in the element. */
export function createEditor(options: EditorOptions): ScriptEditor {
  const language = new Compartment();
  const extensions = extensionsOf(options);
  let shown = options.language;
  const stateOf = (text: string) => EditorState.create({
    doc: text, extensions: [EditorState.lineSeparator.of(lineEndOf(text)), language.of(LANGUAGES[shown]), extensions],
  });
  const view = new EditorView({ state: stateOf(options.text), parent: options.parent });
  let saved = view.state.doc;
  const replace = (from: number, to: number, insert: Text) =>
    view.dispatch({ changes: { from, to, insert }, userEvent: "input.replace" });
  return {
    text: () => view.state.sliceDoc(),
    isChanged: () => !view.state.doc.eq(saved),
    setText: (text) => {
      if (lineEndOf(text) !== view.state.lineBreak) view.setState(stateOf(text));
      else {
        const insert = view.state.toText(text);
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert }, annotations: isolateHistory.of("full") });
      }
      saved = view.state.doc;
      options.onChange();
    },
    markSaved: (text) => {
      saved = textOf(text.split(lineEndOf(text)));
      options.onChange();
    },
    replaceLines: (first, last, lines) => {
      const { from, to, insert } = lineChange(view.state.doc, first, last, lines);
      replace(from, to, insert);
    },
    insert: (text) => {
      const { from, to } = view.state.selection.main;
      view.dispatch({
        changes: { from, to, insert: view.state.toText(text) }, selection: { anchor: from + text.length }, userEvent: "input.paste",
        scrollIntoView: true,
      });
      view.focus();
    },
    setLanguage: (next) => {
      shown = next;
      view.dispatch({ effects: language.reconfigure(LANGUAGES[next]) });
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}
