import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { BodyIntake } from '../../../src/platform/http/server/body-intake.js';
import { KIB, PIECES_PER_TURN } from '../../../src/platform/limits/index.js';

/** The body of a request, and what its reader got. */
class Body {
  readonly passed: (Buffer | null)[] = [];
  reads = 0;
  readonly intake = new BodyIntake({
    socket: new Socket(),
    passOn: (piece) => this.passed.push(piece) > 0,
    readOn: () => (this.reads += 1),
  });

  /** @returns whether the connection may be read on, after each piece */
  take(sizes: readonly number[]): boolean[] {
    return sizes.map((size) => this.intake.take(Buffer.alloc(size, 'x')));
  }

  get sizes(): number[] {
    return this.passed.map((piece) => piece?.length ?? -1);
  }
}

describe('the intake of a body', () => {
  it('passes on small pieces as one block in the next turn', async () => {
    const body = new Body();
    expect(body.take([10, 20, 30])).toEqual([true, false, false]);
    expect(body.sizes).toEqual([]);
    await nextTurn();
    expect(body.sizes).toEqual([60]);
  });

  it('passes on large pieces at once, in order', () => {
    const body = new Body();
    body.take([10, 20, 4 * KIB, 5]);
    body.intake.take(null);
    expect(body.sizes).toEqual([30, 4 * KIB, 5, -1]);
  });

  it('collects blocks of 64 KiB at most', () => {
    const body = new Body();
    body.take(Array.from({ length: 100 }, () => 1_000));
    body.intake.take(null);
    expect(body.sizes).toEqual([65_000, 35_000, -1]);
  });

  it('resumes reading the connection in its next turn', async () => {
    const body = new Body();
    expect(body.intake.defersRead()).toBe(false);
    body.take([10]);
    expect(body.intake.defersRead()).toBe(true);
    expect(body.reads).toBe(0);
    await nextTurn();
    expect(body.reads).toBe(1);
    expect(body.intake.defersRead()).toBe(false);
  });

  it('schedules bodies of many pieces one after the other, and all others at once', async () => {
    const many = Array.from({ length: PIECES_PER_TURN }, () => 100);
    const few = [5_000];
    const bodies = [many, many, few, few, many].map((sizes) => {
      const body = new Body();
      body.take(sizes);
      body.intake.defersRead();
      return body;
    });
    const reads = () => bodies.map((body) => body.reads);
    await nextTurn();
    expect(reads()).toEqual([1, 0, 0, 0, 0]);
    await nextTurn();
    expect(reads()).toEqual([1, 1, 0, 0, 0]);
    await nextTurn();
    expect(reads()).toEqual([1, 1, 1, 1, 1]);
  });
});
