interface MeterProps {
  /** From 0 to 1; more is drawn as 1. */
  share: number;
  /** The class of the bar: ink, or the state that its row names too. */
  look: "f-ink" | "f-degraded" | "f-failed";
  label: string;
}

/** A share of a limit as a bar, next to its numbers. Anything above 0 is visible. */
export function Meter({ share, look, label }: MeterProps) {
  const width = share > 0 ? Math.max(0.7, Math.min(1, share) * 100) : 0;
  return (
    <svg className="meter" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label={label}>
      <rect className="track" width="100" height="6" />
      {width > 0 && <rect className={look} width={width} height="6" />}
    </svg>
  );
}
