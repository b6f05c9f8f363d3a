export interface ServerEvent {
  id: string;
  event: string;
  data: string;
}

/** Parses server-sent events from pieces of text, as the HTML standard says. Any text gives events or nothing. */
export class EventParser {
  /** Milliseconds to wait before a reconnect, as the server says. */
  retry: number | undefined;
  private rest = "";
  private id = "";
  private event = "";
  private data: string[] = [];
  private skipLineFeed = false;

  constructor(private readonly mostBytes = 8 * 1024 * 1024) {}

  push(piece: string): ServerEvent[] {
    const events: ServerEvent[] = [];
    let text = this.rest + piece;
    if (this.skipLineFeed && text.startsWith("\n")) text = text.slice(1);
    if (text) this.skipLineFeed = false;
    let start = 0;
    let feed = text.indexOf("\n");
    let carriage = text.indexOf("\r");
    while (feed >= 0 || carriage >= 0) {
      const isFeed = feed >= 0 && (carriage < 0 || feed < carriage);
      const end = isFeed ? feed : carriage;
      this.line(text.slice(start, end), events);
      start = end + 1;
      if (!isFeed && feed === start) start++;
      else if (!isFeed && start === text.length) this.skipLineFeed = true;
      if (feed >= 0 && feed < start) feed = text.indexOf("\n", start);
      if (carriage >= 0 && carriage < start) carriage = text.indexOf("\r", start);
    }
    this.rest = text.slice(start);
    if (this.rest.length > this.mostBytes) throw new Error("A line of the stream is too long.");
    return events;
  }

  private line(line: string, events: ServerEvent[]): void {
    if (line === "") {
      if (this.data.length) events.push({ id: this.id, event: this.event || "message", data: this.data.join("\n") });
      this.event = "";
      this.data = [];
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") this.data.push(value);
    else if (field === "event") this.event = value;
    else if (field === "id" && !value.includes("\0")) this.id = value;
    else if (field === "retry" && /^\d{1,9}$/.test(value)) this.retry = Number(value);
  }
}
