import {
  FLUSH_PACKET,
  MAX_PACKET,
  type Packet,
  pktLine,
  PktLineSplitter,
  splitPackets,
} from './pkt-line.js';
import type { RefusedRefs } from './push-request.js';

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
  /** Refs that git does not know of. */
  others?: readonly RefusedRefs[];
}

/** How many lines of a report are made at a time. */
const LINES_AT_ONCE = 1_000;

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

/** Changes reasons and adds messages and refs, in parts. Returns output that cannot be parsed unchanged. */
export function* rewriteReport(output: Buffer, changes: ReportChanges): Generator<Buffer> {
  const parts = attempt(() => splitOutput(output));
  if (!parts) {
    yield output;
    return;
  }
  const report = reportParts(parts.report, changes);
  if (!parts.banded) {
    yield* report;
    return;
  }
  const flushes = parts.others.filter((packet) => packet.payload === null);
  const progress = parts.others.filter((packet) => packet.payload !== null);
  yield Buffer.concat([
    ...progress.map((packet) => packet.raw),
    ...changes.messages.flatMap((line) => banded(MESSAGE_BAND, Buffer.from(`${line}\n`))),
  ]);
  for (const part of report) yield Buffer.concat(banded(REPORT_BAND, part));
  yield Buffer.concat(flushes.map((packet) => packet.raw));
}

function* reportParts(report: readonly Packet[], changes: ReportChanges): Generator<Buffer> {
  const lines = report.filter((packet) => packet.payload !== null);
  const ends = report.filter((packet) => packet.payload === null);
  let part: Buffer = Buffer.concat(lines.map((packet) => rewritePacket(packet, changes)));
  for (const more of lines.length === 0 ? [] : refusals(changes.others)) {
    yield part;
    part = more;
  }
  yield Buffer.concat([part, ...ends.map((packet) => packet.raw)]);
}

/** The report of a push that git does not get. */
export function* reportRefusal(
  { hasBands, wantsReport }: { hasBands: boolean; wantsReport: boolean },
  unpacked: string,
  changes: Pick<ReportChanges, 'messages' | 'others'>,
): Generator<Buffer> {
  const report = wantsReport
    ? Buffer.concat([pktLine(`unpack ${oneLine(unpacked)}\n`), FLUSH_PACKET])
    : Buffer.alloc(0);
  const output = hasBands ? Buffer.concat([...banded(REPORT_BAND, report), FLUSH_PACKET]) : report;
  yield* rewriteReport(output, { reason: (_, own) => own, ...changes });
}

/** The lines of refused refs, many at a time. */
function* refusals(others: ReportChanges['others'] = []): Generator<Buffer> {
  for (const { refs, reason } of others) {
    const text = oneLine(reason);
    const line = (ref: string): Buffer => pktLine(Buffer.from(`ng ${ref} ${text}\n`, 'latin1'));
    for (let at = 0; at < refs.length; at += LINES_AT_ONCE) {
      yield Buffer.concat(refs.slice(at, at + LINES_AT_ONCE).map(line));
    }
  }
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
  const nested = packets.filter(isReport).map((packet) => packet.payload?.subarray(1));
  return {
    banded: true,
    others: packets.filter((packet) => !isReport(packet)),
    report: splitPackets(Buffer.concat(nested.filter((payload) => payload !== undefined))),
  };
}

const isReport = (packet: Packet): boolean => packet.payload?.[0] === REPORT_BAND;

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

/** Passes the output of git on by whole packets until `hold` or its report, then keeps the rest. */
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
    if (!this.holding && !this.opaque) this.kept.push(this.splitter.rest);
    this.holding = true;
  }

  /** Returns the kept output. Has to be called when git has ended. */
  take(): Buffer {
    this.hold();
    return Buffer.concat(this.kept.splice(0));
  }

  private wholePackets(chunk: Buffer): Buffer {
    const before = this.splitter.rest;
    try {
      const packets = this.splitter.push(chunk);
      const report = packets.findIndex(isReport);
      const end = report < 0 ? packets.length : report;
      this.kept.push(...packets.slice(end).map((packet) => packet.raw));
      if (end < packets.length) this.hold();
      return Buffer.concat(packets.slice(0, end).map((packet) => packet.raw));
    } catch {
      this.opaque = true;
      return Buffer.concat([before, chunk]);
    }
  }
}
