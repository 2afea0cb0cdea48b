/**
 * A value that belongs to an object made elsewhere, such as a request: no name that a client sends can be mistaken for it,
 * and it goes with the object. A `WeakMap` does the same, but one entry for each of thousands of requests a second costs the
 * garbage collector 1 to 3 % of a read (docs/decisions/0046-hot-reads.md).
 */
export class AttachedValue<T> {
  private readonly key = Symbol('attached');

  get(owner: object): T | undefined {
    return (owner as Record<symbol, T | undefined>)[this.key];
  }

  set(owner: object, value: T): void {
    (owner as Record<symbol, T | undefined>)[this.key] = value;
  }
}
