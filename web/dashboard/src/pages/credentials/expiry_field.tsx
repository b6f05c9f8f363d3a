import { SelectField } from "../../parts/field";
import { useZone } from "../../parts/use_clock";
import { dateText } from "../../time/format";

const DAY = 86_400;

/** Lifetimes in seconds; an empty text means that the credential does not expire. */
export const LIFETIMES = [
  [String(7 * DAY), "7 days"], [String(30 * DAY), "30 days"], [String(90 * DAY), "90 days"], [String(365 * DAY), "1 year"],
  ["", "Does not expire"],
] as const;

interface ExpiryProps {
  value: string;
  onChange: (value: string) => void;
  /** For a rotation: the first choice keeps what is. */
  keep?: string;
}

export function ExpiryField({ value, onChange, keep }: ExpiryProps) {
  const zone = useZone();
  const options = keep === undefined ? LIFETIMES : [["keep", keep] as const, ...LIFETIMES.filter(([seconds]) => seconds)];
  const seconds = Number(value);
  const hint = seconds > 0
    ? `Until ${dateText(new Date(Date.now() + seconds * 1000), zone)}.`
    : value === "" ? "A token that expires limits what a leak can cost." : undefined;
  return <SelectField label="Expires after" name="expiresIn" value={value} onChange={onChange} options={options} hint={hint} />;
}
