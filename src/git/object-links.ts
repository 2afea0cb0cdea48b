import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RepositoryMissingError } from './errors.js';
import { syncFolder } from './durable-files.js';
import { errorCode, isAbsent, type RepositoryLocation } from './runtime.js';

/** What file systems answer that have no hard links here, or no more of them for this file. */
const NO_LINK = new Set(['EXDEV', 'EMLINK', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);
/** Packing replaces packs by fewer ones: after so many looks it must have come to an end. */
const MAX_LOOKS = 20;

/**
 * Puts all objects of one repository into another as well. Git never writes to a pack or a loose
 * object again once it is there, so both can share the file; each removes its own name of it.
 * @throws RepositoryMissingError for either of the two
 */
export async function linkObjects(
  from: RepositoryLocation,
  to: RepositoryLocation,
  signal: AbortSignal | undefined,
): Promise<void> {
  const links = new ObjectLinks(from, to, signal);
  // In this order: what is packed meanwhile is found in its pack.
  await links.looseObjects();
  await links.packs();
}

class ObjectLinks {
  constructor(
    private readonly from: RepositoryLocation,
    private readonly to: RepositoryLocation,
    private readonly signal: AbortSignal | undefined,
  ) {}

  async looseObjects(): Promise<void> {
    for (const folder of await namesIn(join(this.from.path, 'objects'), /^[0-9a-f]{2}$/)) {
      const source = join(this.from.path, 'objects', folder);
      const files = await namesIn(source, /^[0-9a-f]{38}$/);
      if (files.length === 0) continue;
      const target = join(this.to.path, 'objects', folder);
      await this.makeFolder(target);
      for (const file of files)
        await this.share(join(source, file), join(target, file), 'tmp_obj_');
      await syncFolder(target);
    }
  }

  /** Looks again until no pack was taken away between being seen and being linked. */
  async packs(): Promise<void> {
    const source = join(this.from.path, 'objects', 'pack');
    const target = join(this.to.path, 'objects', 'pack');
    for (let look = 1; look <= MAX_LOOKS; look += 1) {
      const names = await namesIn(source, /^pack-[0-9a-f]+\.idx$/);
      let missed = 0;
      for (const name of names) {
        const [base] = name.split('.') as [string];
        if (!(await this.sharePack(join(source, base), join(target, base)))) missed += 1;
      }
      if (missed === 0) break;
    }
    await syncFolder(target);
    await syncFolder(join(this.to.path, 'objects'));
  }

  /** The index comes last: by it git knows that there is a pack. */
  private async sharePack(source: string, target: string): Promise<boolean> {
    await this.share(`${source}.rev`, `${target}.rev`, 'tmp_rev_');
    const isWhole =
      (await this.share(`${source}.pack`, `${target}.pack`, 'tmp_pack_')) &&
      (await this.share(`${source}.idx`, `${target}.idx`, 'tmp_idx_'));
    if (isWhole) return true;
    for (const ending of ['.idx', '.rev', '.pack']) await rm(target + ending, { force: true });
    return false;
  }

  /** False when there is no such file any more. */
  private async share(source: string, target: string, draftName: string): Promise<boolean> {
    this.signal?.throwIfAborted();
    try {
      await link(source, target);
      return true;
    } catch (error) {
      const code = errorCode(error) ?? '';
      if (code === 'EEXIST') return true;
      if (NO_LINK.has(code)) return this.copy(source, target, draftName);
      if (!isAbsent(error)) throw error;
      return this.isGone();
    }
  }

  private async copy(source: string, target: string, draftName: string): Promise<boolean> {
    // Housekeeping removes what a killed process leaves under such a name.
    const draft = join(dirname(target), `${draftName}${randomUUID()}`);
    try {
      await copyFile(source, draft, constants.COPYFILE_FICLONE);
      await flush(draft);
      await rename(draft, target);
      return true;
    } catch (error) {
      await rm(draft, { force: true });
      if (!isAbsent(error)) throw error;
      return this.isGone();
    }
  }

  /** A file is: unless a whole repository is. */
  private async isGone(): Promise<false> {
    await this.from.identity();
    await this.to.identity();
    return false;
  }

  private async makeFolder(path: string): Promise<void> {
    try {
      await mkdir(path);
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return;
      throw isAbsent(error) ? new RepositoryMissingError(this.to.path) : error;
    }
  }
}

async function namesIn(folder: string, pattern: RegExp): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => pattern.test(name));
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
