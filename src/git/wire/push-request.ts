import { type Packet, PktLineSplitter } from './pkt-line.js';

/** Reads the capabilities that a client asks for at the beginning of a push. */
export class PushRequest {
  /** Whether all refs are to move, or none. */
  isAtomic = false;
  private splitter: PktLineSplitter | null = new PktLineSplitter();

  /** Takes what the client sends. */
  push(chunk: Buffer): void {
    this.splitter?.add(chunk);
    try {
      for (let packet = this.next(); packet !== null; packet = this.next()) this.read(packet);
    } catch {
      // Git reports what is no packet.
      this.splitter = null;
    }
  }

  private next(): Packet | null {
    return this.splitter?.next() ?? null;
  }

  /** The capabilities follow the first ref. Lines before it are the boundaries of a shallow clone. */
  private read({ payload }: Packet): void {
    if (payload !== null && !payload.includes(0)) return;
    this.splitter = null;
    const [, capabilities = ''] = payload?.toString('latin1').trimEnd().split('\0', 2) ?? [];
    this.isAtomic = capabilities.split(' ').includes('atomic');
  }
}
