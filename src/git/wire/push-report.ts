import { MAX_PACKET, type Packet, pktLine, PktLineSplitter, splitPackets } from './pkt-line.js';

const REPORT_BAND = 1;
const MESSAGE_BAND = 2;
const FATAL_BAND = 3;
const BAND_PAYLOAD = MAX_PACKET - 5;

/** The result for each ref of a push: null when it was moved, else the reason of git. */
export type PushReport = Map<string, string | null>;

interface ReportChanges {
  /** Returns the reason to show for a ref, given that of git. */
  reason(ref: string, reason: string): string;
  /** Lines to show to the user, if the client can. */
  messages: readonly string[];
}

interface Output {
  /** Whether progress and report share the stream. */
  banded: boolean;
  /** Packets outside of the report. */
  others: Packet[];
  /** Packets of the report, including its flush. */
  report: Packet[];
}

/** Parses the lines for each ref at the end of the output of receive-pack. Returns null without any. */
export function readReport(output: Buffer): PushReport | null {
  const parts = attempt(() => splitOutput(output));
  if (!parts || parts.report.length === 0) return null;
  const report: PushReport = new Map();
  for (const { payload } of parts.report) {
    const [, verdict, ref, reason] = REPORT_LINE.exec(payload?.toString('utf8') ?? '') ?? [];
    if (ref !== undefined) report.set(ref, verdict === 'ok' ? null : (reason ?? ''));
  }
  return report;
}

/** Changes reasons and adds messages. Returns output that cannot be parsed unchanged. */
export function rewriteReport(output: Buffer, changes: ReportChanges): Buffer {
  const parts = attempt(() => splitOutput(output));
  if (!parts) return output;
  const report = parts.report.map((packet) => rewritePacket(packet, changes));
  if (!parts.banded) return Buffer.concat(report);
  const flushes = parts.others.filter((packet) => packet.payload === null);
  const progress = parts.others.filter((packet) => packet.payload !== null);
  return Buffer.concat([
    ...progress.map((packet) => packet.raw),
    ...changes.messages.flatMap((line) => banded(MESSAGE_BAND, Buffer.from(`${line}\n`))),
    ...banded(REPORT_BAND, Buffer.concat(report)),
    ...flushes.map((packet) => packet.raw),
  ]);
}

const REPORT_LINE = /^(ok|ng) ([^ \n]+)(?: ([^\n]*))?\n?$/;

/** Keeps the bytes of the ref, which need not be UTF-8. */
function rewritePacket({ raw, payload }: Packet, changes: ReportChanges): Buffer {
  const [, verdict, ref, reason] = REPORT_LINE.exec(payload?.toString('latin1') ?? '') ?? [];
  if (verdict !== 'ng' || ref === undefined) return raw;
  const name = Buffer.from(ref, 'latin1');
  const own = Buffer.from(reason ?? '', 'latin1').toString();
  const shown = oneLine(changes.reason(name.toString(), own));
  return pktLine(Buffer.concat([Buffer.from('ng '), name, Buffer.from(` ${shown}\n`)]));
}

/** A reason is one line of one packet. */
function oneLine(text: string): string {
  return text.replace(/[\r\n\0]+/g, ' ').slice(0, 1000);
}

/** Separates the report from other packets. With side bands the report is nested in packets of band 1. */
function splitOutput(output: Buffer): Output {
  const packets = splitPackets(output);
  const first = packets.find((packet) => packet.payload !== null)?.payload?.[0];
  const isBanded = first === undefined ? packets.length > 0 : first <= FATAL_BAND;
  if (!isBanded) return { banded: false, others: [], report: packets };
  const isReport = (packet: Packet): boolean => packet.payload?.[0] === REPORT_BAND;
  const nested = packets.filter(isReport).map((packet) => packet.payload?.subarray(1));
  return {
    banded: true,
    others: packets.filter((packet) => !isReport(packet)),
    report: splitPackets(Buffer.concat(nested.filter((payload) => payload !== undefined))),
  };
}

function banded(band: number, payload: Buffer): Buffer[] {
  const packets: Buffer[] = [];
  for (let at = 0; at < payload.length; at += BAND_PAYLOAD) {
    const part = payload.subarray(at, at + BAND_PAYLOAD);
    packets.push(pktLine(Buffer.concat([Buffer.from([band]), part])));
  }
  return packets;
}

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

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
