import { randomBytes } from 'node:crypto';
import {
  hashPassword,
  randomToken,
  Secrets,
  verifyPassword,
} from '../../../src/platform/secrets/index.js';

describe('secrets', () => {
  const secrets = new Secrets(randomBytes(32));

  it('are found by a keyed digest', () => {
    expect(secrets.digest('token')).toMatch(/^[0-9a-f]{64}$/);
    expect(secrets.digest('token')).toBe(secrets.digest('token'));
    expect(new Secrets(randomBytes(32)).digest('token')).not.toBe(secrets.digest('token'));
    expect(secrets.matches('token', secrets.digest('token'))).toBe(true);
    expect(secrets.matches('other', secrets.digest('token'))).toBe(false);
    expect(secrets.matches('token', '')).toBe(false);
  });

  it('have the same digest after thousands of others, each its own', () => {
    const texts = Array.from({ length: 3_000 }, (_, index) => `token ${String(index)}`);
    const digests = texts.map((text) => secrets.digest(text));
    expect(new Set(digests).size).toBe(texts.length);
    expect(texts.map((text) => secrets.digest(text))).toEqual(digests);
    expect(texts.every((text, index) => secrets.matches(text, digests[index] ?? ''))).toBe(true);
  });

  it('are sealed differently each time and opened again', () => {
    const sealed = secrets.seal('tökèn');
    expect(sealed).not.toContain('tökèn');
    expect(secrets.seal('tökèn')).not.toBe(sealed);
    expect(secrets.open(sealed)).toBe('tökèn');
  });

  it('cannot be opened when altered or with another key', () => {
    const bytes = Buffer.from(secrets.seal('token'), 'base64');
    bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
    expect(() => secrets.open(bytes.toString('base64'))).toThrow();
    expect(() => secrets.open('')).toThrow();
    expect(() => new Secrets(randomBytes(32)).open(secrets.seal('token'))).toThrow();
  });

  it('have 20 characters when generated', () => {
    const tokens = new Set(Array.from({ length: 100 }, randomToken));
    expect(tokens.size).toBe(100);
    for (const token of tokens) expect(token).toMatch(/^[\w-]{20}$/);
  });
});

describe('passwords', () => {
  it('match only their hash, in every Unicode form', async () => {
    const hash = await hashPassword('pa\u0308ssword');
    expect(hash).toMatch(/^\$scrypt\$N=32768,r=8,p=3\$/);
    expect(await verifyPassword('p\u00e4ssword', hash)).toBe(true);
    expect(await verifyPassword('password', hash)).toBe(false);
    expect(await hashPassword('pa\u0308ssword')).not.toBe(hash);
  });

  it('never match a missing or malformed hash', async () => {
    for (const stored of [null, '', '$scrypt$broken']) {
      expect(await verifyPassword('password', stored)).toBe(false);
    }
  });
});
