import { createHash } from 'node:crypto';

/** Numbers that follow from a seed; a fork draws independently of how often others draw. */
export class Random {
  #state;

  constructor(seed) {
    this.seed = String(seed);
    this.#state = createHash('sha256').update(this.seed).digest().readUInt32LE(0);
  }

  fork(name) {
    return new Random(`${this.seed}/${name}`);
  }

  /** From 0 to below 1 (mulberry32). */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  integer(least, most) {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability) {
    return this.next() < probability;
  }

  pick(list) {
    return list[this.integer(0, list.length - 1)];
  }

  /** One of `[choice, weight]`. */
  weighted(choices) {
    let left = this.next() * choices.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [choice, weight] of choices) {
      left -= weight;
      if (left < 0) return choice;
    }
    return choices.at(-1)[0];
  }

  /** Bytes that do not compress. */
  bytes(length) {
    const seed = `${this.seed}:${this.next()}`;
    return createHash('shake256', { outputLength: length }).update(seed).digest();
  }
}
