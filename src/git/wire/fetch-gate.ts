import { once } from 'node:events';
import { Transform, type TransformCallback } from 'node:stream';
import { FLUSH_PACKET, FlushCounter, type Packet, PktLineSplitter, textOf } from './pkt-line.js';

/**
 * The slot that a fetch takes while its pack is put together, which costs a processor: few fetches have one at the same
 * time.
 */
export interface PackSlot {
  readonly isTaken: boolean;
  /** Waits for the slot. Rejects when the fetch is refused, which ends it. */
  take(): Promise<void>;
  /** Does nothing when the fetch has no slot. */
  giveBack(): void;
}

interface Step {
  /** Whether git works hard before it answers. */
  needsSlot: boolean;
  /** Whether git ends its answer with a flush packet. */
  expectsAnswer: boolean;
}

/**
 * Passes on to git what the client of a stateful fetch sends, and waits for a slot before a packet after which git works
 * hard: puts a pack together, or walks the history. Until then git waits for its client, which may take long.
 */
abstract class FetchGate extends Transform {
  private readonly splitter = new PktLineSplitter();
  private readonly flushes = new FlushCounter();
  /** Whether git has still to end an answer. At first it sends refs or capabilities. */
  private awaitsAnswer = true;
  /** Whether the client has still to take what git sent. */
  private isBehind = false;

  constructor(private readonly slot: PackSlot) {
    super();
  }

  override _transform(chunk: Buffer, _: BufferEncoding, callback: TransformCallback): void {
    this.pass(chunk).then(() => callback(), callback);
  }

  /** Follows what git sends, before the client gets it. */
  onOutput(chunk: Buffer): void {
    this.isBehind = true;
    // What comes unexpected need not be packets: a pack may come without side-band.
    if (!this.awaitsAnswer || this.flushes.push(chunk) === 0) return;
    this.slot.giveBack();
    this.awaitsAnswer = false;
  }

  /** The client has taken what git sent. */
  onDelivered(): void {
    this.isBehind = false;
    this.emit('delivered');
  }

  /** Returns what git does when a packet is passed on; null when it goes on reading. */
  protected abstract stepAt(packet: Packet): Step | null;

  private async pass(chunk: Buffer): Promise<void> {
    let ready: Buffer[] = [];
    const passOn = (): void => {
      if (ready.length > 0) this.push(Buffer.concat(ready));
      ready = [];
    };
    for (const packet of this.splitter.push(chunk)) {
      const step = this.stepAt(packet);
      if (step !== null) {
        passOn();
        await this.begin(step);
      }
      ready.push(packet.raw);
    }
    passOn();
  }

  /** Steps are taken one by one, so that the end of an answer is known to be that of the last. */
  private async begin({ needsSlot, expectsAnswer }: Step): Promise<void> {
    while (this.awaitsAnswer) await once(this, 'delivered');
    if (needsSlot) await this.takeSlot();
    this.awaitsAnswer = expectsAnswer;
  }

  /** A client that does not read would make git wait, and keep the slot meanwhile. */
  private async takeSlot(): Promise<void> {
    await this.delivery();
    await this.slot.take();
    if (!this.isBehind) return;
    this.slot.giveBack();
    await this.takeSlot();
  }

  private async delivery(): Promise<void> {
    while (this.isBehind) await once(this, 'delivered');
  }
}

/** In versions 0 and 1 the client negotiates until it says `done`. */
class NegotiationGate extends FetchGate {
  private deepens = false;
  private hasWants = false;
  private isDone = false;

  protected override stepAt({ payload }: Packet): Step | null {
    if (payload === null) return this.endWants();
    const line = textOf(payload);
    if (line.startsWith('want ')) blank(payload, 'no-done');
    this.deepens ||= line.startsWith('deepen');
    if (line !== 'done' || this.isDone) return null;
    this.isDone = true;
    // The answer is the pack, after which git ends.
    return { needsSlot: true, expectsAnswer: false };
  }

  /** The list of wants ends at the first packet without payload, whichever it is. */
  private endWants(): Step | null {
    if (this.hasWants) return null;
    this.hasWants = true;
    // Git answers with the commits at which the history is cut off.
    return this.deepens ? { needsSlot: true, expectsAnswer: true } : null;
  }
}

/** With this capability git sends a pack without `done`. It offers it over HTTP only, but always heeds it. */
function blank(payload: Buffer, capability: string): void {
  for (let at = payload.indexOf(capability); at >= 0; at = payload.indexOf(capability, at)) {
    payload.fill(' ', at, at + capability.length);
  }
}

const DELIMITER = Buffer.from('0001');
/** Git answers a fetch only if it has one of these arguments. */
const ASKS_FOR_ANSWER = /^(?:want(?:-ref)? |wait-for-done$)/;

/** In version 2 the client sends requests, each of which ends with a flush packet, and so does its answer. */
class RequestGate extends FetchGate {
  /** Of the request that is being read. */
  private command = '';
  private isInArguments = false;
  private asksForAnswer = false;

  protected override stepAt({ raw, payload }: Packet): Step | null {
    if (payload !== null) this.learn(textOf(payload));
    this.isInArguments ||= raw.equals(DELIMITER);
    if (!raw.equals(FLUSH_PACKET)) return null;
    const isFetch = this.command === 'command=fetch';
    const expectsAnswer = !isFetch || this.asksForAnswer;
    this.command = '';
    this.isInArguments = false;
    this.asksForAnswer = false;
    return { needsSlot: isFetch && expectsAnswer, expectsAnswer };
  }

  private learn(line: string): void {
    if (this.isInArguments) this.asksForAnswer ||= ASKS_FOR_ANSWER.test(line);
    else if (line.startsWith('command=')) this.command ||= line;
  }
}

/** @param protocol as `acceptedProtocol` returns it */
export const fetchGate = (slot: PackSlot, protocol: string | null): FetchGate =>
  protocol === 'version=2' ? new RequestGate(slot) : new NegotiationGate(slot);

export type { FetchGate };
