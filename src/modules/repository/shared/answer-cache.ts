import { Injectable } from '@nestjs/common';
import { ByteCache } from '../../../git/index.js';
import { type ApiFace, Serialized, VersionedAnswer } from '../../../platform/http/index.js';
import { Page } from '../../../platform/pagination/index.js';

/** The largest diffs, which are cut at 8 MiB of text, take a quarter of it. */
const MAX_BYTES = 40 * 1024 * 1024;
const OVERHEAD_BYTES = 300;

/** The content of an answer that depends on nothing but its key. */
export interface CacheableAnswer<T> {
  /** The kind of answer, and everything that the content depends on. */
  key: readonly [kind: string, ...parts: unknown[]];
  /** Computes the content; called only when the answer is not cached. */
  make: () => Promise<T>;
  /** Returns about how many bytes of memory an answer takes that shows the content, if these may be many. */
  weigh?: (() => number | Promise<number>) | undefined;
}

/**
 * Caches answers about immutable content, such as commits by their hashes, as the JSON that a face sends. Entries
 * do not expire: whatever can change has to be part of the key.
 */
@Injectable()
export class AnswerCache {
  private readonly answers = new ByteCache<Serialized>('answers', MAX_BYTES);

  /** The answer of an endpoint that depends on nothing but the key, which also validates what clients have. */
  versioned<T>(content: CacheableAnswer<T>, present: (content: T) => object): VersionedAnswer {
    const { key, weigh } = content;
    return new VersionedAnswer(
      JSON.stringify(key),
      (face) => this.answer(face, content, present),
      weigh && ((face) => this.answers.peek(nameFor(face, key))?.json.length ?? weigh()),
    );
  }

  async answer<T>(
    face: ApiFace,
    { key, make }: CacheableAnswer<T>,
    present: (content: T) => object,
  ): Promise<Serialized> {
    const name = nameFor(face, key);
    const cached = this.answers.get(name);
    if (cached !== undefined) return cached;
    const answer = serialize(present(await make()));
    this.answers.set(name, answer, answer.json.length + OVERHEAD_BYTES);
    return answer;
  }

  /** The estimated size of all entries. */
  get bytes(): number {
    return this.answers.bytes;
  }
}

const nameFor = ({ name }: ApiFace, key: CacheableAnswer<unknown>['key']): string =>
  `${name} ${JSON.stringify(key)}`;

function serialize(answer: object): Serialized {
  if (!(answer instanceof Page)) return new Serialized(toJson(answer));
  const { items, ...numbers } = answer;
  return new Serialized(toJson(items), numbers);
}

function toJson(answer: object): Buffer {
  return Buffer.from(JSON.stringify(answer));
}
