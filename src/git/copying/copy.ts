import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { GitProcessError, IncompleteCopyError } from '../model/errors.js';
import { BRANCH_PREFIX, assertBranchName, TAG_PREFIX } from '../model/names.js';
import type { Oid, Ref } from '../model/types.js';
import { type GitCommand, gitCommands } from '../process/command-table.js';
import type { CommandOptions } from '../process/launcher.js';
import type { ProcessPurpose } from '../process/process-scheduler.js';
import { writeFirstRefs } from '../refs/packed-refs.js';
import { RefFiles } from '../refs/ref-files.js';
import { RefLists } from '../refs/ref-lists.js';
import { RefStore } from '../refs/ref-store.js';
import { errorCode, isAbsent, namesIn, syncFolder } from '../storage/files.js';
import { ensureFolderIn, replaceFile } from '../storage/repository-folder.js';
import type { RepositoryLocation } from '../storage/repository-location.js';

/** Packing may remove files while they are being linked; each time fewer are left. */
const MAX_ROUNDS = 5;
/** Checking every object of a large repository takes long. */
const CHECK_LIMIT_MS = 60 * 60_000;

/** Errors of file systems without hard links here, or with no more links for this file. */
const NO_LINK = new Set(['EXDEV', 'EMLINK', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);
/** Packing replaces packs by fewer ones, so it must have ended after this many attempts. */
const MAX_ATTEMPTS = 20;

/** Returns whether a repository has branches or tags. */
export async function isFilled(location: RepositoryLocation): Promise<boolean> {
  return (await branchesAndTags(location)).length > 0;
}

/** Copies branches, tags and HEAD of another repository into an empty one, in one step. */
export async function copyRepository(
  from: RepositoryLocation,
  to: RepositoryLocation,
  signal: AbortSignal | undefined,
): Promise<void> {
  await to.identity();
  if (await isFilled(to)) return;
  const source = await from.identity();
  const refs = await branchesAndTags(from);
  const head = await new RefStore(from).head();
  // A list that was read while the repository was being removed may be incomplete.
  if ((await from.identity()) !== source) return copyRepository(from, to, signal);
  if (head !== null) await writeHead(to, head);
  if (refs.length === 0) return;
  await linkConnected(from, to, refs, signal);
  await writeFirstRefs(to, refs);
}

/** Without git, which would create the folder anew if the repository was removed meanwhile. */
async function writeHead({ path }: RepositoryLocation, branch: string): Promise<void> {
  assertBranchName(branch);
  await replaceFile(path, join(path, 'HEAD'), `ref: ${BRANCH_PREFIX}${branch}\n`);
}

/** Links objects until the refs have all of theirs. */
async function linkConnected(
  from: RepositoryLocation,
  to: RepositoryLocation,
  refs: readonly Ref[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const targets = [...new Set(refs.map(({ target }) => target))];
  const command = gitCommands.checkConnected(to.path);
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    await linkObjects(from, to, signal);
    const options = { timeoutMs: CHECK_LIMIT_MS, signal };
    if (await isConnected(to, command, targets, options, 'maintenance')) return;
  }
  throw new IncompleteCopyError(to.path);
}

async function branchesAndTags(location: RepositoryLocation): Promise<Ref[]> {
  const lists = new RefLists(location, new RefFiles(location));
  const [branches, tags] = [await lists.below(BRANCH_PREFIX), await lists.below(TAG_PREFIX)];
  return [...branches.refs, ...tags.refs];
}

/**
 * Returns whether a repository has some objects and everything reachable from them.
 * @param command walks from the objects on its input, and fails when one is missing
 */
export async function isConnected(
  location: RepositoryLocation,
  command: GitCommand,
  oids: readonly Oid[],
  options: Pick<CommandOptions, 'timeoutMs' | 'signal'>,
  kind?: ProcessPurpose,
): Promise<boolean> {
  try {
    const input = oids.map((oid) => `${oid}\n`).join('');
    await location.run(command, { ...options, input }, kind);
    return true;
  } catch (error) {
    if (error instanceof GitProcessError && error.exitCode !== null) return false;
    throw error;
  }
}

/**
 * Links all objects of one repository into another. Git never changes an existing pack or loose object, so both
 * repositories can share the file, and each removes its own link.
 * @throws RepositoryMissingError for either of the two
 */
async function linkObjects(
  from: RepositoryLocation,
  to: RepositoryLocation,
  signal: AbortSignal | undefined,
): Promise<void> {
  const links = new ObjectLinks(from, to, signal);
  // In this order, so that objects that are packed meanwhile are found in their pack.
  await links.linkLooseObjects();
  await links.linkPacks();
}

class ObjectLinks {
  constructor(
    private readonly from: RepositoryLocation,
    private readonly to: RepositoryLocation,
    private readonly signal: AbortSignal | undefined,
  ) {}

  async linkLooseObjects(): Promise<void> {
    for (const folder of await matching(join(this.from.path, 'objects'), /^[0-9a-f]{2}$/)) {
      const source = join(this.from.path, 'objects', folder);
      const files = await matching(source, /^[0-9a-f]{38}$/);
      if (files.length === 0) continue;
      const target = join(this.to.path, 'objects', folder);
      await ensureFolderIn(this.to.path, target);
      for (const file of files)
        await this.share(join(source, file), join(target, file), 'tmp_obj_');
      await syncFolder(target);
    }
  }

  /** Links packs, again until none was removed between being listed and being linked. */
  async linkPacks(): Promise<void> {
    const source = join(this.from.path, 'objects', 'pack');
    const target = join(this.to.path, 'objects', 'pack');
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const names = await matching(source, /^pack-[0-9a-f]+\.idx$/);
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

  /** Links the files of a pack, the index last, since git finds a pack by its index. */
  private async sharePack(source: string, target: string): Promise<boolean> {
    await this.share(`${source}.rev`, `${target}.rev`, 'tmp_rev_');
    const isWhole =
      (await this.share(`${source}.pack`, `${target}.pack`, 'tmp_pack_')) &&
      (await this.share(`${source}.idx`, `${target}.idx`, 'tmp_idx_'));
    if (isWhole) return true;
    for (const ending of ['.idx', '.rev', '.pack']) await rm(target + ending, { force: true });
    return false;
  }

  /** Links or copies a file. Returns false when it does not exist any more. */
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
      return this.failIfRepositoryMissing();
    }
  }

  private async copy(source: string, target: string, draftName: string): Promise<boolean> {
    // Housekeeping deletes files of this name that killed processes have left.
    const draft = join(dirname(target), `${draftName}${randomUUID()}`);
    try {
      await copyFile(source, draft, constants.COPYFILE_FICLONE);
      await flush(draft);
      await rename(draft, target);
      return true;
    } catch (error) {
      await rm(draft, { force: true });
      if (!isAbsent(error)) throw error;
      return this.failIfRepositoryMissing();
    }
  }

  /** Returns false for a missing file, and throws when a repository is missing. */
  private async failIfRepositoryMissing(): Promise<false> {
    await this.from.identity();
    await this.to.identity();
    return false;
  }
}

async function matching(folder: string, pattern: RegExp): Promise<string[]> {
  return (await namesIn(folder)).filter((name) => pattern.test(name));
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
