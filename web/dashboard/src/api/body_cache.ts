export interface StoredBody {
  etag: string;
  body: string;
  headers: [string, string][];
}

/** A larger body, such as that of a test with its script, is read again in place of being kept. */
export const MOST_CHARACTERS = 262_144;

/** Bodies of reads with their ETags, in memory only. The least recently used one leaves first. */
export class BodyCache {
  private readonly bodies = new Map<string, StoredBody>();
  constructor(private readonly most = 50) {}

  get(key: string): StoredBody | undefined {
    const found = this.bodies.get(key);
    if (found) {
      this.bodies.delete(key);
      this.bodies.set(key, found);
    }
    return found;
  }

  set(key: string, body: StoredBody): void {
    this.bodies.delete(key);
    if (body.body.length > MOST_CHARACTERS) return;
    this.bodies.set(key, body);
    for (const oldest of this.bodies.keys()) {
      if (this.bodies.size <= this.most) break;
      this.bodies.delete(oldest);
    }
  }

  clear(): void {
    this.bodies.clear();
  }

  get size(): number {
    return this.bodies.size;
  }
}
