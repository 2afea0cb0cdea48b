import type { Socket } from 'node:net';
import type { Connection } from 'ssh2';
import { MessageBudget, type MessageLimits } from './message-budget.js';
import type { Parser, ParsingTurns } from './parsing-turns.js';
import { type Protocol, protocolOf } from './protocol-internals.js';

/** The bytes of a step: about a hundred of the smallest messages. */
const STEP_BYTES = 4 * 1024;
const NOTHING: Buffer = Buffer.alloc(0);

interface PacedParserOptions {
  limits: MessageLimits & {
    /** The messages that a key exchange counts as. */
    readonly messagesPerKeyExchange: number;
  };
  turns: ParsingTurns;
  isAuthenticated: () => boolean;
  /** The client has used up its budget before it has authenticated. */
  onExcess: () => void;
}

/**
 * Parses the messages of a client in steps and within a budget, in place of the library, which parses all that a
 * read has brought at once. One read is parsed before the next one is made.
 */
export class PacedParser implements Parser {
  private readonly protocol: Protocol;
  private readonly parse: Protocol['_parse'];
  private readonly budget: MessageBudget;
  /** What is left of the last read. */
  private rest: Buffer = NOTHING;
  private keyExchanges = 0;
  private transferred = 0;
  private pauseTimer: NodeJS.Timeout | undefined;

  /** Has to be created when the client's identification has been read, and nothing else. */
  constructor(
    private readonly client: Connection,
    private readonly socket: Socket,
    private readonly options: PacedParserOptions,
  ) {
    this.protocol = protocolOf(client);
    this.budget = new MessageBudget(options.limits);
    this.parse = this.protocol._parse;
    this.protocol._parse = (chunk, from, to) => {
      this.receive(chunk.subarray(from, to));
      return to;
    };
    client.on('handshake', () => (this.keyExchanges += 1));
    socket.once('close', () => {
      clearTimeout(this.pauseTimer);
      options.turns.delete(this);
    });
  }

  private receive(bytes: Buffer): void {
    this.rest = bytes;
    this.options.turns.parse(this);
    if (this.rest.length > 0 || this.pauseTimer !== undefined) this.socket.pause();
  }

  parseStep(): boolean {
    // A connection that was ended from here: what still arrives is dropped.
    if (this.isClosing) this.rest = NOTHING;
    const step = this.rest.subarray(0, STEP_BYTES);
    this.rest = this.rest.subarray(STEP_BYTES);
    const pauseMs = this.pauseAfter(this.parseMessages(step));
    if (pauseMs > 0) {
      this.pauseTimer = setTimeout(() => {
        this.pauseTimer = undefined;
        this.options.turns.parse(this);
      }, pauseMs);
      return false;
    }
    if (this.rest.length > 0) return true;
    if (this.socket.isPaused()) this.socket.resume();
    return false;
  }

  private get isClosing(): boolean {
    return this.socket.writableEnded || this.protocol._destruct === undefined;
  }

  /** Returns how many messages the bytes had. */
  private parseMessages(bytes: Buffer): number {
    const { protocol } = this;
    const before = protocol._decipher.inSeqno;
    this.keyExchanges = 0;
    try {
      let from: number | undefined = 0;
      while (from !== undefined && from < bytes.length) {
        from = this.parse.call(protocol, bytes, from, bytes.length);
      }
    } catch (error) {
      this.client.emit('error', error);
      this.socket.end();
    }
    // Numbers may begin anew with a key exchange.
    const after = protocol._decipher.inSeqno;
    const messages = after < before ? after : after - before;
    return messages + this.keyExchanges * this.options.limits.messagesPerKeyExchange;
  }

  private pauseAfter(messages: number): number {
    if (this.isClosing) return 0;
    if (!this.options.isAuthenticated()) {
      if (!this.budget.allowsBeforeSignIn(messages)) this.options.onExcess();
      return 0;
    }
    const { bytesRead, bytesWritten } = this.socket;
    const bytes = bytesRead + bytesWritten - this.transferred;
    this.transferred += bytes;
    return this.budget.pauseAfter(messages, bytes);
  }
}
