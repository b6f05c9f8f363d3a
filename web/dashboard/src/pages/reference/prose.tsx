import { piecesOf } from "./contract";

/** A text of the contract: blank lines separate paragraphs, and back quotes mark code. All of it is text. */
export function Prose({ text, className }: { text: string; className?: string }) {
  return text.split(/\n{2,}/).filter((one) => one.trim() !== "").map((paragraph, at) => (
    <p className={className} key={at}><Words text={paragraph} /></p>
  ));
}

/** One line of such a text. */
export function Words({ text }: { text: string }) {
  return piecesOf(text).map((piece, at) =>
    (piece.code ? <code className="wrap-any" key={at}>{piece.text}</code> : <span key={at}>{piece.text}</span>));
}
