import { Injectable } from '@nestjs/common';
import { settlesWithin } from '../async/index.js';
import { describeFileError, testWrite } from './disk.js';

/** How long a caller waits for a file system. */
const LIMIT_MS = 2_000;
/** How long a result is used again, since everybody may ask `GET /readyz`. */
const REUSE_MS = 1_000;
/**
 * Tests under way at once. One that hangs keeps a thread of Node's pool, of which there are four, until it ends: the rest is for
 * all other files.
 */
const MAX_PENDING = 2;

interface WriteTest {
  isDone: boolean;
  /** Why the file could not be written; undefined if it could. Never rejects. */
  readonly error: Promise<string | undefined>;
}

/** Tests whether files can be written, without waiting long for file systems that hang. */
@Injectable()
export class WriteProbe {
  private readonly tests = new Map<string, WriteTest>();

  /**
   * Returns in words why no file can be written into a folder, undefined if one can. Undefined as well while too many file systems
   * hang.
   */
  async findError(folder: string): Promise<string | undefined> {
    const test = this.tests.get(folder) ?? this.begin(folder);
    if (test === undefined) return undefined;
    return (await settlesWithin(test.error, LIMIT_MS)) ? test.error : 'it does not answer';
  }

  private begin(folder: string): WriteTest | undefined {
    const pending = [...this.tests.values()].filter(({ isDone }) => !isDone);
    if (pending.length >= MAX_PENDING) return undefined;
    const error = testWrite(folder)
      .then(() => undefined, describeFileError)
      .finally(() => {
        test.isDone = true;
        setTimeout(() => this.tests.delete(folder), REUSE_MS).unref();
      });
    const test: WriteTest = { isDone: false, error };
    this.tests.set(folder, test);
    return test;
  }
}
