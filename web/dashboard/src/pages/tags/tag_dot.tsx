/** The colour of a tag as a dot before its name, which says everything without it. */
export function TagDot({ color }: { color: string }) {
  return (
    <svg className="tag-dot" viewBox="0 0 8 8" aria-hidden="true">
      <circle cx="4" cy="4" r="4" fill={color} />
    </svg>
  );
}
