import { useState } from "react";
import { AppDialog } from "../../parts/dialog";
import { setKeys } from "./keys";
import { GROUPS } from "./sidebar";

const KEYS: [string[], string][] = [
  [["Ctrl", "K"], "Search or jump to"],
  ...GROUPS.flatMap((group) => group.places).map((place): [string[], string] => [["g", place.key], place.word]),
  [["j"], "Next row"],
  [["k"], "Previous row"],
  [["/"], "Search on the page"],
  [["e"], "Next failure of the output"],
  [["E"], "Previous failure of the output"],
  [["u"], "Times in UTC or in your zone"],
  [["?"], "This list"],
];

export function KeyList({ onClose, on }: { onClose: () => void; on: boolean }) {
  const [enabled, setEnabled] = useState(on);
  return (
    <AppDialog title="Keys" onClose={onClose}>
      <div className="dialog-body">
        <table className="table table-plain">
          <caption className="vh">Keys and what they do</caption>
          <thead className="vh"><tr><th scope="col">Act</th><th scope="col">Keys</th></tr></thead>
          <tbody>
            {KEYS.map(([keys, act]) => (
              <tr key={act}>
                <th scope="row">{act}</th>
                <td className="num">{keys.map((key) => <kbd key={key}>{key}</kbd>)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <label className="switch">
          <input
            type="checkbox" role="switch" checked={enabled}
            onChange={(event) => {
              setKeys(event.target.checked);
              setEnabled(event.target.checked);
            }}
          />
          <span>Single keys, on this device</span>
        </label>
      </div>
      <div className="dialog-foot"><button className="btn" type="button" onClick={onClose}>Close</button></div>
    </AppDialog>
  );
}
