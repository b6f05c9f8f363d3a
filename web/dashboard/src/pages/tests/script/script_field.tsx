import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { LoadError } from "../../../parts/feedback";
import { FieldNote } from "../../../parts/field";
import { MOST_SCRIPT, bytesOf, sizeText } from "../test_values";
import { type TestType, languageOf, languageWord } from "../test_words";
import { type CursorPlace, type ScriptEditor, loadEditor } from "./script_editor";

// The size is counted when nobody types, because it takes milliseconds for a large script.
const PAUSE = 500;

export interface Script {
  /** Undefined until the editor is loaded. */
  editor: RefObject<ScriptEditor | undefined>;
  /** True if the text is not the saved one. */
  changed: boolean;
  /** Changes with each change of the text. */
  version: number;
  onChange: () => void;
}

/** The state of one script that pages share with its editor. */
export function useScript(): Script {
  const editor = useRef<ScriptEditor>(undefined);
  const [state, setState] = useState({ changed: false, version: 0 });
  const onChange = useCallback(
    () => setState((old) => ({ changed: editor.current?.isChanged() ?? false, version: old.version + 1 })), [],
  );
  return { editor, ...state, onChange };
}

interface ScriptFieldProps {
  script: Script;
  /** The text to start with; later texts come through the editor. */
  text: string;
  type: TestType;
  readOnly?: boolean;
  error?: string;
  /** Acts of Ctrl+S and Ctrl+Enter. */
  save?: () => void;
  execute?: () => void;
}

function Foot({ type, place, bytes, readOnly, saves, executes }: {
  type: TestType; place: CursorPlace; bytes: number; readOnly: boolean; saves: boolean; executes: boolean;
}) {
  return (
    <div className="output-foot">
      <span>{languageWord(type)}</span>
      <span className="tabular">Line {place.line}, column {place.column}</span>
      {bytes > MOST_SCRIPT / 2 && <span className="tabular">{sizeText(bytes)}</span>}
      <span className="push row g-2 editor-keys">
        {saves && <span><kbd>Ctrl S</kbd> save</span>}
        {executes && <span><kbd>Ctrl Enter</kbd> execute</span>}
      </span>
      <p className="small muted editor-help" id="test-script-keys">
        {readOnly
          ? "Your role can read the script and not change it."
          : <><kbd>Tab</kbd> indents. <kbd>Escape</kbd> and then <kbd>Tab</kbd> leaves the editor. <kbd>Ctrl F</kbd> searches.</>}
      </p>
    </div>
  );
}

/** The script of a test in an editor, whose own script loads when it is first shown. */
export function ScriptField({ script, text, type, readOnly = false, error, save, execute }: ScriptFieldProps) {
  const parent = useRef<HTMLDivElement>(null);
  const [failure, setFailure] = useState<Error>();
  const [loaded, setLoaded] = useState(false);
  const [place, setPlace] = useState<CursorPlace>({ line: 1, column: 1 });
  const [bytes, setBytes] = useState(() => bytesOf(text));
  const latest = useRef({ text, type, save, execute });
  latest.current = { text, type, save, execute };
  const { editor, onChange, version } = script;
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let ended = false;
    setFailure(undefined);
    loadEditor().then(({ createEditor }) => {
      if (ended || !parent.current) return;
      editor.current = createEditor({
        parent: parent.current, text: latest.current.text, language: languageOf(latest.current.type), label: "Script",
        describedBy: "test-script-keys", readOnly, onChange, onCursor: setPlace, save: () => latest.current.save?.(),
        execute: () => latest.current.execute?.(),
      });
      setLoaded(true);
    }).catch((reason: Error) => !ended && setFailure(reason));
    return () => {
      ended = true;
      editor.current?.destroy();
      editor.current = undefined;
      setLoaded(false);
    };
  }, [editor, onChange, readOnly, attempt]);
  const language = languageOf(type);
  useEffect(() => editor.current?.setLanguage(language), [editor, language]);
  useEffect(() => {
    const timer = setTimeout(() => editor.current && setBytes(bytesOf(editor.current.text())), PAUSE);
    return () => clearTimeout(timer);
  }, [editor, version]);
  return (
    <div className="stack g-2">
      {failure && <LoadError what="The editor" error={failure} retry={() => setAttempt((old) => old + 1)} />}
      {/* The banner of errors leads here; the focus goes on to the editor. */}
      <div
        className="output editor" id="test-script" tabIndex={-1}
        onFocus={(event) => event.target === event.currentTarget && editor.current?.focus()}
      >
        <div className="editor-box" ref={parent} aria-busy={(!loaded && !failure) || undefined} />
        <Foot type={type} place={place} bytes={bytes} readOnly={readOnly} saves={Boolean(save)} executes={Boolean(execute)} />
      </div>
      <FieldNote id="test-script-note" error={error} />
    </div>
  );
}
