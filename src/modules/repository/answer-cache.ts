import { Injectable } from '@nestjs/common';
import { ByteCache } from '../../git/index.js';
import { Page, Serialized } from '../../platform/http/index.js';

/** A quarter of it takes the largest of differences, which are cut at 8 MiB of text. */
const MAX_BYTES = 40 * 1024 * 1024;
const OVERHEAD_BYTES = 300;

/** What an answer is made from that depends on nothing but its key, so that it is made only once. */
export interface Lasting<T> {
  /** Its kind, and everything of what it is made that may change or may be asked otherwise. */
  key: readonly [kind: string, ...parts: unknown[]];
  make: () => Promise<T>;
}

/**
 * Keeps answers about what cannot change, such as commits by their hashes, as the JSON that is sent.
 * They never expire: what can change has to be part of the key.
 */
@Injectable()
export class AnswerCache {
  private readonly answers = new ByteCache<Serialized>(MAX_BYTES);

  async answer<T>({ key, make }: Lasting<T>, present: (made: T) => object): Promise<Serialized> {
    const name = JSON.stringify(key);
    const known = this.answers.get(name);
    if (known !== undefined) return known;
    const answer = serialized(present(await make()));
    this.answers.set(name, answer, answer.json.length + OVERHEAD_BYTES);
    return answer;
  }

  /** What is kept, by the cache's own estimate. */
  get bytes(): number {
    return this.answers.bytes;
  }
}

function serialized(answer: object): Serialized {
  if (!(answer instanceof Page)) return new Serialized(bytesOf(answer));
  const { items, ...numbers } = answer;
  return new Serialized(bytesOf(items), numbers);
}

function bytesOf(answer: object): Buffer {
  return Buffer.from(JSON.stringify(answer));
}
