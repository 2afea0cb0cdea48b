import { GitProtocolError } from '../model/errors.js';

const HEADER = 4;
const NEWLINE = 0x0a;
/** The largest packet, including its four length digits. */
export const MAX_PACKET = 65520;
export const FLUSH_PACKET = Buffer.from('0000');

/** Frames a payload with its length in four hexadecimal digits. */
export function pktLine(payload: string | Buffer): Buffer {
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
  const length = bytes.length + HEADER;
  if (length > MAX_PACKET) throw new GitProtocolError('A packet cannot be that long');
  return Buffer.concat([Buffer.from(length.toString(16).padStart(HEADER, '0')), bytes]);
}

/** A packet by which a service refuses a request. Clients show its text, except where a report or a pack has begun. */
export function errorPacket(text: string): Buffer {
  return pktLine(`ERR ${text}\n`);
}

/** One packet as it was received; `payload` is null for flush, delimiter and end packets. */
export interface Packet {
  raw: Buffer;
  payload: Buffer | null;
}

/** Splits a stream of chunks into packets. Takes time by the bytes, into however many chunks they were cut. */
export class PktLineSplitter {
  /** Has the bytes that are left, from `start` to `end`. No byte is written twice: packets refer to it. */
  private store: Buffer = Buffer.alloc(0);
  private start = 0;
  private end = 0;

  /**
   * Takes bytes and returns the packets that are complete.
   * @throws GitProtocolError when the bytes are not packets
   */
  push(chunk: Buffer): Packet[] {
    this.add(chunk);
    const packets: Packet[] = [];
    for (let packet = this.next(); packet !== null; packet = this.next()) packets.push(packet);
    return packets;
  }

  /** Takes bytes, whose packets `next` returns. */
  add(chunk: Buffer): void {
    const { rest } = this;
    if (rest.length === 0) {
      this.store = chunk;
      this.start = 0;
      this.end = chunk.length;
      return;
    }
    if (this.end + chunk.length > this.store.length) {
      // With room for as much again, so that each byte is copied a few times at most.
      this.store = Buffer.allocUnsafeSlow(2 * (rest.length + chunk.length));
      this.start = 0;
      this.end = rest.copy(this.store);
    }
    this.end += chunk.copy(this.store, this.end);
  }

  /**
   * Returns the next packet; null while it is incomplete.
   * @throws GitProtocolError when the bytes are not a packet
   */
  next(): Packet | null {
    const { rest } = this;
    const length = packetLength(rest);
    if (length === null || rest.length < length) return null;
    this.start += length;
    const raw = rest.subarray(0, length);
    return { raw, payload: isSpecial(raw) ? null : raw.subarray(HEADER) };
  }

  /** The bytes of an incomplete packet. */
  get rest(): Buffer {
    return this.store.subarray(this.start, this.end);
  }
}

/** Counts the flush packets in a stream, and keeps no packet of it. */
export class FlushCounter {
  /** Digits of the packet that begins. */
  private digits = '';
  /** Bytes that are missing of the packet. */
  private missing = 0;

  /**
   * Takes bytes and returns how many flush packets they complete.
   * @throws GitProtocolError when the bytes are not packets
   */
  push(chunk: Buffer): number {
    let count = 0;
    for (let at = 0; at < chunk.length;) {
      if (this.missing > 0) {
        const size = Math.min(this.missing, chunk.length - at);
        this.missing -= size;
        at += size;
        continue;
      }
      const digits = chunk.toString('latin1', at, at + HEADER - this.digits.length);
      this.digits += digits;
      at += digits.length;
      if (this.digits.length < HEADER) break;
      this.missing = lengthIn(this.digits) - HEADER;
      if (this.digits === '0000') count++;
      this.digits = '';
    }
    return count;
  }
}

/** Returns the text of a packet as git reads it: without the newline at its end, and up to the first NUL. */
export function textOf(payload: Buffer): string {
  return withoutNewline(payload).toString('latin1').split('\0', 1)[0] ?? '';
}

export function withoutNewline(line: Buffer): Buffer {
  return line.at(-1) === NEWLINE ? line.subarray(0, -1) : line;
}

/**
 * Splits complete bytes into packets.
 * @throws GitProtocolError when the last packet is incomplete
 */
export function splitPackets(bytes: Buffer): Packet[] {
  const splitter = new PktLineSplitter();
  const packets = splitter.push(bytes);
  if (splitter.rest.length > 0) throw new GitProtocolError('A packet is cut short');
  return packets;
}

/** Returns the length of the first packet; null when its length has not arrived. */
function packetLength(bytes: Buffer): number | null {
  return bytes.length < HEADER ? null : lengthIn(bytes.toString('latin1', 0, HEADER));
}

/** Returns the length of a packet, that of the digits included. */
function lengthIn(digits: string): number {
  const length = /^[0-9a-f]{4}$/i.test(digits) ? parseInt(digits, 16) : NaN;
  if (length <= 2) return HEADER;
  if (length >= HEADER && length <= MAX_PACKET) return length;
  throw new GitProtocolError('Not a packet');
}

function isSpecial(raw: Buffer): boolean {
  return raw.length === HEADER && raw.toString('latin1') !== '0004';
}
