import { PktLineSplitter } from './pkt-line.js';

/** Passes the output of git on by whole packets until `hold`, then keeps the rest. */
export class HeldOutput {
  private readonly splitter = new PktLineSplitter();
  private readonly kept: Buffer[] = [];
  private opaque = false;
  private holding = false;

  /** Takes output and returns what may be sent to the client. */
  push(chunk: Buffer): Buffer {
    if (this.holding) {
      this.kept.push(chunk);
      return Buffer.alloc(0);
    }
    return this.opaque ? chunk : this.wholePackets(chunk);
  }

  /** Keeps all further output. Packets that were passed on are complete. */
  hold(): void {
    this.holding = true;
  }

  /** Returns the kept output. Has to be called when git has ended. */
  take(): Buffer {
    const rest = this.opaque ? Buffer.alloc(0) : this.splitter.rest;
    return Buffer.concat([rest, ...this.kept.splice(0)]);
  }

  private wholePackets(chunk: Buffer): Buffer {
    const before = this.splitter.rest;
    try {
      return Buffer.concat(this.splitter.push(chunk).map((packet) => packet.raw));
    } catch {
      this.opaque = true;
      return Buffer.concat([before, chunk]);
    }
  }
}
