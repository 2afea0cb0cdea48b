import { isUtf8 } from 'node:buffer';
import { isReservedRef } from '../model/names.js';
import { ByteBlocks } from './byte-blocks.js';
import { namesOf, OFFERED, refusalOf } from './offers.js';
import {
  FLUSH_PACKET,
  type Packet,
  pktLine,
  PktLineSplitter,
  textOf,
  withoutNewline,
} from './pkt-line.js';

/** The most refs that one push changes (docs/reference/git.md#limits-of-pushes). */
export const MAX_CHANGED_REFS = 10_000;
/** The most refs of one push that are refused one by one. */
export const MAX_REFUSED_REFS = 200_000;
const MAX_BOUNDARIES = 10_000;
export const MAX_PUSH_OPTIONS = 64;
export const MAX_PUSH_OPTION_BYTES = 4 * 1024;
/** The most bytes before the pack: enough for all refs with names of usual length. */
const MAX_BYTES = 32 * 1024 * 1024;

/** What a text takes beside its characters. */
const BYTES_OF_A_TEXT = 32;

/** A name with a line break would be two lines for the hook that reports the push. */
const COMMAND = /^[0-9a-f]{40} [0-9a-f]{40} [^\n]+$/i;
const NAME_AT = 82;
const BOUNDARY = /^shallow [0-9a-f]{40}$/i;
const CERTIFICATE = 'push-cert';

const RESERVED = 'This ref is reserved.';
const UNDECODABLE = 'Ref names must be valid UTF-8.';
const MALFORMED = 'The request is malformed.';
const INCOMPLETE = 'The request is incomplete.';
const CERTIFIED = 'Push certificates are not accepted.';
const TOO_LONG = 'The list of refs is too long.';
const DEEP = `The clone has too many boundaries: more than ${shown(MAX_BOUNDARIES)}.`;
const OPTIONS = `A push has at most ${shown(MAX_PUSH_OPTIONS)} options of ${shown(MAX_PUSH_OPTION_BYTES)} bytes.`;

/** Refs, as Latin-1, and why they are refused. */
export interface RefusedRefs {
  readonly refs: readonly string[];
  readonly reason: string;
}

/**
 * Reads what a client sends before the pack of a push: the boundaries of a shallow clone, the commands with the
 * capabilities, and the push options. Git reads all of it into its memory, and takes what it does not offer.
 */
export class PushRequest {
  /** Why the push is refused. */
  refusal: string | null = null;
  /** Whether nothing more is read. */
  isComplete = false;
  /** How many refs git is to change. */
  changed = 0;
  /** How many refs are refused one by one. Git does not get them. */
  refusedRefs = 0;
  private readonly reserved: string[] = [];
  private readonly undecodable: string[] = [];
  private readonly splitter = new PktLineSplitter();
  private readonly kept = new ByteBlocks();
  private capabilities: readonly string[] | null = null;
  /** The capabilities as they were sent. */
  private features = '';
  private boundaries = 0;
  private readonly options: string[] = [];
  private isInOptions = false;
  private readBytes = 0;
  private refusedBytes = 0;

  /** Takes what the client sends until `isComplete`. */
  push(chunk: Buffer): void {
    this.splitter.add(chunk);
    try {
      while (!this.isComplete) {
        const packet = this.splitter.next();
        if (packet === null) return;
        this.read(packet);
      }
    } catch {
      this.refuse(MALFORMED);
    }
  }

  /** The client sends nothing more. */
  end(): void {
    if (!this.isComplete) this.refuse(INCOMPLETE);
  }

  refuse(reason: string): void {
    this.refusal = reason;
    this.isComplete = true;
  }

  /** Returns what git has to read, and then what has arrived of the pack. */
  bytes(): Buffer[] {
    return [...this.kept.blocks(), this.splitter.rest];
  }

  /** The bytes of memory that it takes. */
  get size(): number {
    return this.kept.size + this.refusedBytes;
  }

  /** Whether the client lacks the beginning of the history. */
  get isShallow(): boolean {
    return this.boundaries > 0;
  }

  /** Whether all refs are to move, or none. */
  get isAtomic(): boolean {
    return this.asksFor('atomic');
  }

  /** Whether the client wants a report of each ref. */
  get wantsReport(): boolean {
    return this.asksFor('report-status') || this.asksFor('report-status-v2');
  }

  /** Whether progress and report share the stream. */
  get hasBands(): boolean {
    return this.asksFor('side-band-64k');
  }

  /** What the client says of the push (`git push -o`), in order. */
  get pushOptions(): readonly string[] {
    return this.options;
  }

  /** The refs that are refused one by one. */
  get refused(): readonly RefusedRefs[] {
    return [
      { refs: this.reserved, reason: RESERVED },
      { refs: this.undecodable, reason: UNDECODABLE },
    ];
  }

  /** Returns the names of the refs, as Latin-1, that git was to change. */
  changedRefs(): string[] {
    const splitter = new PktLineSplitter();
    const lines = splitter.push(Buffer.concat(this.kept.blocks()));
    const texts = lines.map(({ payload }) => (payload === null ? '' : textOf(payload)));
    return texts.filter((text) => COMMAND.test(text)).map((text) => text.slice(NAME_AT));
  }

  private asksFor(capability: string): boolean {
    return this.capabilities?.includes(capability) ?? false;
  }

  private read(packet: Packet): void {
    this.readBytes += packet.raw.length;
    if (this.readBytes > MAX_BYTES) this.refuse(this.excess('more than ') ?? TOO_LONG);
    else if (this.isInOptions) this.readOption(packet);
    else if (packet.payload === null) this.endCommands();
    else this.readLine(packet.raw, packet.payload);
  }

  private readLine(raw: Buffer, payload: Buffer): void {
    const text = textOf(payload);
    if (text === CERTIFICATE) this.refuse(CERTIFIED);
    else if (BOUNDARY.test(text)) this.readBoundary();
    else if (COMMAND.test(text)) this.readCommand(raw, payload, text);
    else this.refuse(MALFORMED);
  }

  /** Git does not get boundaries: no repository here is shallow, and one that is a tree or a tag crashes git 2.39. */
  private readBoundary(): void {
    this.boundaries += 1;
    if (this.boundaries > MAX_BOUNDARIES) this.refuse(DEEP);
  }

  private readCommand(raw: Buffer, payload: Buffer, text: string): void {
    const end = payload.indexOf(0);
    if (this.capabilities === null) {
      this.readCapabilities(end < 0 ? '' : payload.toString('latin1', end + 1));
      if (this.isComplete) return;
    } else if (end >= 0) {
      this.refuse(MALFORMED);
      return;
    }
    const name = text.slice(NAME_AT);
    if (isReservedRef(name)) this.refuseRef(name, this.reserved);
    else if (!isUtf8(Buffer.from(name, 'latin1'))) this.refuseRef(name, this.undecodable);
    else this.keepCommand(raw, text, end >= 0);
  }

  private refuseRef(name: string, others: string[]): void {
    this.refusedRefs += 1;
    if (this.refusedRefs > MAX_REFUSED_REFS) return;
    others.push(name);
    this.refusedBytes += name.length + BYTES_OF_A_TEXT;
  }

  private keepCommand(raw: Buffer, text: string, hasCapabilities: boolean): void {
    this.changed += 1;
    if (this.changed > MAX_CHANGED_REFS) return;
    // The first line has the capabilities, also if the ref of the client's first line is refused.
    const isFirst = this.changed === 1 && !hasCapabilities && this.features !== '';
    this.kept.add(isFirst ? pktLine(Buffer.from(`${text}\0${this.features}`, 'latin1')) : raw);
  }

  private readCapabilities(features: string): void {
    this.features = features;
    this.capabilities = namesOf(features);
    const refusal = refusalOf('capability', this.capabilities, OFFERED.push);
    if (refusal !== null) this.refuse(refusal);
  }

  private endCommands(): void {
    const excess = this.excess('');
    if (excess !== null) {
      this.refuse(excess);
      return;
    }
    this.kept.add(FLUSH_PACKET);
    const isEmpty = this.changed + this.refusedRefs === 0;
    this.isInOptions = !isEmpty && this.asksFor('push-options');
    this.isComplete = !this.isInOptions;
  }

  private readOption({ raw, payload }: Packet): void {
    if (payload !== null) {
      const option = withoutNewline(payload);
      this.options.push(option.toString('utf8'));
      if (option.length > MAX_PUSH_OPTION_BYTES || this.options.length > MAX_PUSH_OPTIONS) {
        this.refuse(OPTIONS);
        return;
      }
    }
    this.kept.add(raw);
    this.isComplete = payload === null;
  }

  /** @param least stands before a number that may be too small */
  private excess(least: string): string | null {
    if (this.changed > MAX_CHANGED_REFS) {
      return `The push changes ${least}${shown(this.changed)} refs; one push changes at most ${shown(MAX_CHANGED_REFS)}. Push them in parts.`;
    }
    if (this.refusedRefs > MAX_REFUSED_REFS) {
      return `The push names more than ${shown(MAX_REFUSED_REFS)} refs that are reserved. Push the others by their names.`;
    }
    return null;
  }
}

function shown(count: number): string {
  return count.toLocaleString('en-US');
}
