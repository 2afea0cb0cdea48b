import { AttachedValue } from '../async/index.js';

/**
 * A set without order, for objects that come and go with each request. A `Set` leaves a table behind whenever it makes
 * room for new members; each table refers to the next one, and keeps its last members in memory until a full garbage
 * collection: for requests, nearly all of them (docs/decisions/0023-cheap-requests.md).
 */
export class UnorderedSet<T extends object> implements Iterable<T> {
  private readonly members: T[] = [];
  private readonly positions = new AttachedValue<number | undefined>();

  get size(): number {
    return this.members.length;
  }

  /** Adds a member that is not in the set. */
  add(member: T): void {
    this.positions.set(member, this.members.length);
    this.members.push(member);
  }

  /** Removes a member if it is in the set. */
  delete(member: T): void {
    const position = this.positions.get(member);
    if (position === undefined) return;
    this.positions.set(member, undefined);
    const last = this.members.pop();
    if (last === undefined || last === member) return;
    this.members[position] = last;
    this.positions.set(last, position);
  }

  /** Iterates over the members that are in the set now, whatever is added or removed meanwhile. */
  [Symbol.iterator](): Iterator<T> {
    return this.members.slice().values();
  }
}
