/** What the tabs of a browser tell each other. No message holds a secret. */
export type TabMessage = { type: "signed-out" } | { type: "signed-in"; userId: string } | { type: "visible" };

const isMessage = (value: unknown): value is TabMessage => {
  const message = value as Partial<Record<string, unknown>> | null;
  if (message?.type === "signed-out" || message?.type === "visible") return true;
  return (message?.type === "signed-in" && typeof message.userId === "string");
};

/** The channel between tabs. A tab does not get its own messages. */
export class Tabs {
  private readonly channel: BroadcastChannel;
  constructor(name = "svc-session") {
    this.channel = new BroadcastChannel(name);
  }

  send(message: TabMessage): void {
    this.channel.postMessage(message);
  }

  listen(listener: (message: TabMessage) => void): () => void {
    const handle = (event: MessageEvent) => {
      if (isMessage(event.data)) listener(event.data);
    };
    this.channel.addEventListener("message", handle as EventListener);
    return () => this.channel.removeEventListener("message", handle as EventListener);
  }

  close(): void {
    this.channel.close();
  }
}
