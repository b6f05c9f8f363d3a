/** Returns the text after a key, or undefined for a key that does not type. */
export function textAfter(text: string, key: string): string | undefined {
  if ([...key].length === 1) return text + key;
  return key === "Backspace" ? [...text].slice(0, -1).join("") : undefined;
}
