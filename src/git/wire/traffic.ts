import type { ClientBudget, Conversation, GitObserver } from '../process/observer.js';

/** The beginning of a pack, of the one version that git sends. */
const PACK = Buffer.from('PACK\0\0\0\x02', 'latin1');
/** Begins the line by which a client names a commit that it has. */
const HAVE = Buffer.from('have ');

/** Begins the line by which a client narrows the list of refs in protocol version 2. */
const REF_PREFIX = Buffer.from('ref-prefix ');

/** Returns whether a pack begins in what git sends. */
export const beginsPack = (chunk: Buffer): boolean => chunk.includes(PACK);

/** Follows a conversation. */
export interface ConversationListener {
  readonly onInput?: (chunk: Buffer) => void;
  readonly onOutput?: (chunk: Buffer) => void;
  readonly onExceeded?: (budget: ClientBudget) => void;
}

/** Counts the bytes of a conversation for the observer, and finds out what it completed. */
export class Traffic implements ConversationListener {
  operation: Conversation['operation'] = null;
  receivedBytes = 0;
  private sentBytes = 0;

  constructor(
    private readonly observer: GitObserver,
    private readonly conversation: Pick<Conversation, 'service' | 'isStateless'>,
  ) {}

  readonly onInput = (chunk: Buffer): void => {
    this.receivedBytes += chunk.length;
    this.look(chunk, 'input');
  };

  readonly onOutput = (chunk: Buffer): void => {
    this.sentBytes += chunk.length;
    this.look(chunk, 'output');
  };

  readonly onExceeded = (budget: ClientBudget): void => this.observer.exceeded(budget);

  /** Reports the conversation, which has ended. */
  end(): void {
    const { conversation, operation, receivedBytes, sentBytes } = this;
    this.observer.conversed({ ...conversation, operation, receivedBytes, sentBytes });
  }

  protected look(_chunk: Buffer, _from: 'input' | 'output'): void {
    // What most conversations complete is known without looking at their bytes.
  }
}

/** The same of a fetch, which is recognized by its pack: over HTTP it has requests without one. */
export class FetchTraffic extends Traffic {
  private hasHaves = false;

  protected override look(chunk: Buffer, from: 'input' | 'output'): void {
    if (this.operation !== null) return;
    if (from === 'input') this.hasHaves ||= chunk.includes(HAVE);
    else if (beginsPack(chunk)) this.operation = this.hasHaves ? 'fetch' : 'clone';
  }
}

/** Counts the ref prefixes of a conversation, into whichever chunks they were cut. */
export class RefPrefixCounter {
  private count = 0;
  /** The last bytes, which may begin a prefix. */
  private rest: Buffer = Buffer.alloc(0);

  /** Returns how many there are by now. */
  push(chunk: Buffer): number {
    const bytes = Buffer.concat([this.rest, chunk]);
    let at = bytes.indexOf(REF_PREFIX);
    for (; at >= 0; at = bytes.indexOf(REF_PREFIX, at + REF_PREFIX.length)) this.count += 1;
    this.rest = Buffer.from(bytes.subarray(Math.max(0, bytes.length - REF_PREFIX.length + 1)));
    return this.count;
  }
}
