import { Semaphore } from 'async-mutex';
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const deriveKey = promisify<string, Buffer, number, object, Buffer>(scrypt);

// 32 MiB of memory a guess (OWASP's second recommended setting for scrypt). Node runs it on its
// thread pool, so the event loop goes on meanwhile.
const COST: Cost = { N: 2 ** 15, r: 8, p: 3 };
const MAX_MEMORY = 64 * 1024 * 1024;
/** Hashes at once: one thread of libuv's pool of four stays free for files. */
const MAX_PARALLEL = 3;
/** Accounts have shorter ones, however they are normalised; only that takes longer. */
const MAX_LENGTH = 1_024;
const SALT_BYTES = 16;
const KEY_BYTES = 32;

/** What scrypt calls its parameters. */
interface Cost {
  N: number;
  r: number;
  p: number;
}

const threads = new Semaphore(MAX_PARALLEL);

/** Hashes passwords at a certain cost, and compares them with hashes of any. */
export class PasswordHashing {
  constructor(private readonly cost: Cost) {}

  /** Hashes a password by scrypt; the cost is stored with it, so that it can be raised later. */
  readonly hash = async (password: string): Promise<string> => {
    const salt = randomBytes(SALT_BYTES);
    const { N, r, p } = this.cost;
    const key = await derive(password, salt, this.cost);
    const cost = `N=${String(N)},r=${String(r)},p=${String(p)}`;
    return `$scrypt$${cost}$${salt.toString('base64')}$${key.toString('base64')}`;
  };

  /**
   * Compares a password with a stored hash. Without a hash (no such account), and for a password that no
   * account can have, it works as long and answers false: the time taken says nothing of the account.
   */
  readonly verify = async (password: string, stored: string | null): Promise<boolean> => {
    const parsed = stored === null ? null : parseHash(stored);
    if (parsed === null || password.length > MAX_LENGTH) {
      await derive(password.slice(0, MAX_LENGTH), randomBytes(SALT_BYTES), this.cost);
      return false;
    }
    const key = await derive(password, parsed.salt, parsed.cost);
    return key.length === parsed.key.length && timingSafeEqual(key, parsed.key);
  };
}

export const { hash: hashPassword, verify: verifyPassword } = new PasswordHashing(COST);

function derive(password: string, salt: Buffer, cost: Cost): Promise<Buffer> {
  const options = { ...cost, maxmem: MAX_MEMORY };
  return threads.runExclusive(() =>
    deriveKey(password.normalize('NFKC'), salt, KEY_BYTES, options),
  );
}

function parseHash(stored: string): { cost: Cost; salt: Buffer; key: Buffer } | null {
  const match = /^\$scrypt\$N=(\d+),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(stored);
  if (match === null) return null;
  const [, n, r, p, salt = '', key = ''] = match;
  return {
    cost: { N: Number(n), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64'),
    key: Buffer.from(key, 'base64'),
  };
}
