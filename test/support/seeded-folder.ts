import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const made: Promise<string>[] = [];

// This module is loaded outside of all suites, so that the hook runs once, after the last suite of the Jest file.
afterAll(async () => {
  for (const each of await Promise.allSettled(made.splice(0))) {
    if (each.status === 'fulfilled') await rm(each.value, { recursive: true });
  }
});

/** A folder with a repository that git fills once for a Jest file. Copies of it take no process. */
export class SeededFolder {
  private seed: Promise<string> | undefined;

  constructor(private readonly fill: (folder: string) => Promise<void>) {}

  async copyTo(folder: string): Promise<void> {
    this.seed ??= this.make();
    await cp(await this.seed, folder, { recursive: true });
  }

  private make(): Promise<string> {
    const folder = mkdtemp(path.join(tmpdir(), 'trellis-seed-'));
    made.push(folder);
    return folder.then(async (created) => {
      await this.fill(created);
      return created;
    });
  }
}
