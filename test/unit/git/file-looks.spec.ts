import { StorageUnavailableError } from '../../../src/git/index.js';
import { FileLooks } from '../../../src/git/storage/file-looks.js';

/** Longer than a look that answers, on a busy machine. */
const LIMIT_MS = 200;

/** A look at a file system that hangs until it is released. */
class HangingLook {
  readonly read: () => Promise<string>;
  hasBegun = false;
  answer: () => void = () => undefined;

  constructor() {
    this.read = () =>
      new Promise((resolve) => {
        this.hasBegun = true;
        this.answer = () => resolve('late');
      });
  }
}

describe('reads of file attributes', () => {
  const unavailable = { code: 'storage-unavailable' };

  it('return the result or the error of the file system', async () => {
    const looks = new FileLooks(LIMIT_MS, 4);
    await expect(looks.look('a', () => Promise.resolve(1))).resolves.toBe(1);
    const failure = new Error('EIO');
    await expect(looks.look('a', () => Promise.reject(failure))).rejects.toBe(failure);
  });

  it('are limited in a storage that hangs, and continue in others', async () => {
    const looks = new FileLooks(LIMIT_MS, 4);
    const hanging = Array.from({ length: 5 }, () => new HangingLook());
    const answers = hanging.map(({ read }) => looks.look('far', read));
    const settled = Promise.allSettled(answers);
    expect(hanging.filter(({ hasBegun }) => hasBegun)).toHaveLength(1);
    for (let time = 0; time < 10; time += 1) {
      expect(await looks.look('near', () => Promise.resolve(time))).toBe(time);
    }
    for (const result of await settled) {
      expect(result).toMatchObject({ status: 'rejected', reason: unavailable });
    }
    expect(hanging.filter(({ hasBegun }) => hasBegun)).toHaveLength(1);
  });

  it('are refused at once while none returns, and continue when one does', async () => {
    const looks = new FileLooks(LIMIT_MS, 4);
    const hanging = new HangingLook();
    await expect(looks.look('far', hanging.read)).rejects.toMatchObject(unavailable);
    const refused = new HangingLook();
    await expect(looks.look('far', refused.read)).rejects.toBeInstanceOf(StorageUnavailableError);
    expect(refused.hasBegun).toBe(false);
    hanging.answer();
    await new Promise((resolve) => setImmediate(resolve));
    await expect(looks.look('far', () => Promise.resolve('back'))).resolves.toBe('back');
  });

  it('start in turn', async () => {
    const looks = new FileLooks(60_000, 4);
    const begun: number[] = [];
    const reads = Array.from({ length: 20 }, (_, n) => async () => {
      begun.push(n);
      await new Promise((resolve) => setImmediate(resolve));
      return n;
    });
    const answers = await Promise.all(reads.map((read) => looks.look('a', read)));
    expect(answers).toEqual(begun);
    expect(begun).toHaveLength(20);
  });
});
