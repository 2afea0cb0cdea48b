import { PktLineSplitter } from './pkt-line.js';

/** Lets git's output through packet by packet until it is told to keep the rest back. */
export class HeldOutput {
  private readonly splitter = new PktLineSplitter();
  private readonly kept: Buffer[] = [];
  private opaque = false;
  private holding = false;

  /** Returns what may go to the client now. */
  push(chunk: Buffer): Buffer {
    if (this.holding) {
      this.kept.push(chunk);
      return Buffer.alloc(0);
    }
    return this.opaque ? chunk : this.wholePackets(chunk);
  }

  /** From here on nothing goes out; a packet is never cut in two by that. */
  hold(): void {
    this.holding = true;
  }

  /** Everything that was kept back, once git has ended. */
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
