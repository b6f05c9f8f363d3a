import { loadFiles, loadOrReload } from "../../../parts/reload";
import type { ScriptLanguage } from "../test_words";

export interface CursorPlace {
  line: number;
  column: number;
}

export interface EditorOptions {
  parent: HTMLElement;
  text: string;
  language: ScriptLanguage;
  /** The accessible name of the editor. */
  label: string;
  /** Id of the element that explains how keys leave the editor. */
  describedBy: string;
  readOnly: boolean;
  /** Called after each change of the text. */
  onChange: () => void;
  onCursor: (place: CursorPlace) => void;
  /** Acts of Ctrl+S and Ctrl+Enter. */
  save: () => void;
  execute: () => void;
}

/** The editor of one script. Its owner calls `destroy` before the parent leaves the page. */
export interface ScriptEditor {
  /** Returns the text with the line ends that it was given with. */
  text: () => string;
  /** True if the text differs from the one that was last passed to the constructor, `setText` or `markSaved`. */
  isChanged: () => boolean;
  /** Shows another text, which counts as saved. The user can undo that. */
  setText: (text: string) => void;
  /** The present text or the given one, which may be older, counts as saved from now on. */
  markSaved: (text: string) => void;
  /** Replaces the lines `first` to before `last`, counted from 0, as a change of the user. */
  replaceLines: (first: number, last: number, lines: readonly string[]) => void;
  /** Puts a text in place of the selection. */
  insert: (text: string) => void;
  setLanguage: (language: ScriptLanguage) => void;
  focus: () => void;
  destroy: () => void;
}

/** Loads the script of the editor, which is as large as all other pages together. */
export const loadEditor = () => loadOrReload(() => loadFiles("svc-editor").then(() => import("./code_editor")));
