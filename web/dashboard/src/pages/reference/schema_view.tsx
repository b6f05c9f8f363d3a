import { type ReactNode, useState } from "react";
import { type Contract, type Schema, piecesOf } from "./contract";
import { type MemberRow, membersOf, rulesOf, typeText, variantsOf } from "./schema_rows";

/** One line of the contract: back quotes mark code. All of it is text. */
export function Words({ text }: { text: string }) {
  return piecesOf(text).map((piece, at) =>
    (piece.code ? <code className="wrap-any" key={at}>{piece.text}</code> : <span key={at}>{piece.text}</span>));
}

/** A text of the contract, whose blank lines separate paragraphs. */
export function Prose({ text, className }: { text: string; className?: string }) {
  return text.split(/\n{2,}/).filter((one) => one.trim() !== "").map((paragraph, at) => (
    <p className={className} key={at}><Words text={paragraph} /></p>
  ));
}

interface FieldsProps {
  caption: string;
  /** Such as "Member". */
  head: string;
  rows: readonly (MemberRow & { place?: string })[];
}

/** Names with their types, rules and meaning: parameters of an operation, or members of a body. */
export function FieldTable({ caption, head, rows }: FieldsProps) {
  return (
    <div className="panel">
      <div className="table-box">
        <table className="table table-cards table-fields" role="table">
          <caption className="vh">{caption}</caption>
          <thead role="rowgroup">
            <tr role="row">
              <th scope="col" role="columnheader">{head}</th>
              <th scope="col" role="columnheader">Type</th>
              <th scope="col" role="columnheader">Meaning</th>
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map((one) => (
              <tr role="row" key={`${one.place} ${one.name}`}>
                <th scope="row" role="rowheader">
                  <div className="cell-name">
                    <code className="medium wrap-any">{one.name}</code>
                    <span className="cell-sub">{[one.place, one.required && "required"].filter(Boolean).join(", ")}</span>
                  </div>
                </th>
                <td data-label="Type" role="cell">{one.type}</td>
                <td className="cell-wide" data-label="Meaning" role="cell">
                  <div className="stack g-1">
                    {one.description && <p><Words text={one.description} /></p>}
                    {one.rules.length > 0 && <p className="small muted wrap-any">{one.rules.join("; ")}</p>}
                    {!one.description && one.rules.length === 0 && <span className="faint">–</span>}
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

interface SchemaProps {
  contract: Contract;
  schema: Schema;
  /** Such as "Members of the body". */
  caption: string;
}

/** The members of a body. Where it has one of several shapes, a row of buttons chooses which one is shown. */
export function SchemaView({ contract, schema, caption }: SchemaProps): ReactNode {
  const variants = variantsOf(contract, schema);
  const [chosen, setChosen] = useState(0);
  const variant = variants[chosen];
  if (variant) {
    return (
      <div className="stack g-3">
        <div className="seg seg-wrap" role="group" aria-label={`Shape: ${caption}`}>
          {variants.map((one, at) => (
            <button type="button" aria-pressed={at === chosen} key={one.name} onClick={() => setChosen(at)}>{one.name}</button>
          ))}
        </div>
        <FieldTable caption={`${caption}, ${variant.name}`} head="Member" rows={membersOf(contract, variant.schema)} />
      </div>
    );
  }
  const rows = membersOf(contract, schema);
  if (rows.length > 0) return <FieldTable caption={caption} head="Member" rows={rows} />;
  const found = contract.resolve(schema);
  return <p className="muted wrap-any">{[typeText(contract, schema), ...rulesOf(found)].join("; ")}</p>;
}
