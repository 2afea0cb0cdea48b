import { V3, V4 } from '../../../src/faces/index.js';
import { ByteCache } from '../../../src/git/index.js';
import { AnswerCache } from '../../../src/modules/repository/shared/answer-cache.js';
import { Page } from '../../../src/platform/pagination/index.js';

const MIB = 1024 * 1024;

describe('the cache of answers', () => {
  it('creates a response once for each key, serialized', async () => {
    const cache = new AnswerCache();
    let made = 0;
    const answer = (...parts: unknown[]) =>
      cache.answer(
        V3,
        { key: ['thing', ...parts], make: () => Promise.resolve((made += 1)) },
        (number) => ({ number }),
      );
    expect(String((await answer('a', 1)).json)).toBe('{"number":1}');
    expect(String((await answer('a', 1)).json)).toBe('{"number":1}');
    expect(String((await answer('a,1')).json)).toBe('{"number":2}');
    expect(String((await answer('a', null)).json)).toBe('{"number":3}');
    expect(String((await answer('a', ['1'])).json)).toBe('{"number":4}');
  });

  it('keeps the answers of the faces apart', async () => {
    const cache = new AnswerCache();
    const thing = { key: ['thing'] as const, make: () => Promise.resolve('thing') };
    const name = await cache.versioned(thing, (name) => ({ name })).make(V3);
    const title = await cache.versioned(thing, (title) => ({ title })).make(V4);
    expect(name).toMatchObject({ json: Buffer.from('{"name":"thing"}') });
    expect(title).toMatchObject({ json: Buffer.from('{"title":"thing"}') });
  });

  it('keeps the page headers beside the items', async () => {
    const page = new Page([1, 2], 5, 1, 2, true);
    const list = { key: ['list'] as const, make: () => Promise.resolve(page) };
    const answer = await new AnswerCache().answer(V3, list, (found) => found);
    expect(String(answer.json)).toBe('[1,2]');
    expect(answer.page).toEqual({
      total: 5,
      page: 1,
      perPage: 2,
      firstPage: 1,
      hasNext: true,
      rest: null,
    });
  });

  it('keeps no errors', async () => {
    const cache = new AnswerCache();
    const failing = { key: ['x'] as const, make: () => Promise.reject(new Error('not now')) };
    await expect(cache.answer(V3, failing, () => ({}))).rejects.toThrow('not now');
    const later = { key: ['x'] as const, make: () => Promise.resolve({ ok: true }) };
    expect(String((await cache.answer(V3, later, (made) => made)).json)).toBe('{"ok":true}');
  });

  it('holds no more than 40 MiB', async () => {
    const cache = new AnswerCache();
    const text = 'x'.repeat(100_000);
    for (let n = 0; n < 500; n += 1) {
      const large = { key: ['large', n] as const, make: () => Promise.resolve({ text }) };
      await cache.answer(V3, large, (made) => made);
    }
    expect(cache.bytes).toBeLessThanOrEqual(40 * MIB);
    expect(cache.bytes).toBeGreaterThan(36 * MIB);
  });
});

describe('a cache that is bounded by bytes', () => {
  it('evicts the least recently used, and accepts no oversized entry', () => {
    const cache = new ByteCache<string>('test', 1_000);
    for (const key of ['a', 'b', 'c']) cache.set(key, key, 150);
    expect(cache.get('a')).toBeUndefined();
    const small = new ByteCache<string>('test', 1_000);
    for (const key of ['a', 'b', 'c', 'd']) {
      small.set(key, key, 100);
      small.get('a');
    }
    small.set('e', 'e', 100);
    expect(small.get('a')).toBe('a');
    expect(small.get('b')).toBeUndefined();
    expect(small.bytes).toBeLessThanOrEqual(1_000);
  });
});
