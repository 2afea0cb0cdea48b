import { createReadStream } from 'node:fs';
import {
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { syncFolder } from '../../platform/config/index.js';
import { CHECKSUMS } from '../manifest.js';
import { BackupRecord, type BackupTarget, readChunks } from './backup-target.js';
import { type Checksums, parseChecksums, renderChecksums } from './checksums.js';

/** The name of a backup: its time, and a number if there are several of one second. */
const NAME = /^\d{8}T\d{6}Z(?:-\d+)?$/;
const INCOMPLETE = '.incomplete';
/** A symbolic link to the newest backup. */
export const LATEST = 'latest';

interface PreviousBackup {
  readonly folder: string;
  readonly checksums: Checksums;
}

/**
 * Writes a backup to a new folder. Files that the previous backup in the same directory has, too, are hard links to its
 * files, so that each folder is a whole backup and any of them can be deleted.
 */
export class DirectoryTarget implements BackupTarget {
  private readonly record = new BackupRecord();
  private readonly folders = new Set<string>();

  private constructor(
    private readonly directory: string,
    private readonly name: string,
    private readonly previous: PreviousBackup | null,
  ) {}

  /** Begins a backup, and removes what interrupted ones have left. */
  static async begin(directory: string): Promise<DirectoryTarget> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const names = await readdir(directory);
    for (const name of names) {
      if (name.endsWith(INCOMPLETE) && NAME.test(name.slice(0, -INCOMPLETE.length))) {
        await rm(path.join(directory, name), { recursive: true, force: true });
      }
    }
    const previous = await findPrevious(directory);
    const target = new DirectoryTarget(directory, unusedName(names), previous);
    await target.makeFolder(target.draft);
    return target;
  }

  get size() {
    return this.record.size;
  }

  async reuse(file: string, bytes: number): Promise<boolean> {
    const checksum = this.previous?.checksums.get(file);
    if (this.previous === null || checksum === undefined) return false;
    const source = path.join(this.previous.folder, file);
    const found = await lstat(source).catch(() => null);
    if (found?.size !== bytes) return false;
    const target = await this.pathFor(file);
    try {
      await link(source, target);
    } catch {
      // The file has as many links as the file system allows, for example.
      return false;
    }
    this.record.addReused(file, checksum, bytes);
    return true;
  }

  addFile(file: string, source: FileHandle): Promise<void> {
    return this.write(file, readChunks(source));
  }

  addText(file: string, text: string): Promise<void> {
    return this.write(file, single(Buffer.from(text)));
  }

  addStream(file: string, content: Readable): Promise<void> {
    return this.write(file, content);
  }

  async complete(): Promise<string> {
    const checksums = await open(path.join(this.draft, CHECKSUMS), 'wx', 0o600);
    await writeAndClose(checksums, renderChecksums(this.record.checksums));
    for (const folder of this.folders) await syncFolder(folder);
    const folder = path.join(this.directory, this.name);
    await rename(this.draft, folder);
    const latest = path.join(this.directory, LATEST);
    const draft = `${latest}${INCOMPLETE}`;
    await rm(draft, { force: true });
    await symlink(this.name, draft);
    await rename(draft, latest);
    await syncFolder(this.directory);
    return folder;
  }

  async abandon(): Promise<void> {
    await rm(this.draft, { recursive: true, force: true });
  }

  private get draft(): string {
    return path.join(this.directory, this.name + INCOMPLETE);
  }

  private async write(file: string, chunks: AsyncIterable<Buffer>): Promise<void> {
    const target = await this.pathFor(file);
    await writeAndClose(await open(target, 'wx', 0o600), this.record.follow(file, chunks));
    await this.shareIfEqual(file, target);
  }

  /** Replaces a file by a link to that of the previous backup if both are equal. */
  private async shareIfEqual(file: string, target: string): Promise<void> {
    const checksum = this.record.checksums.get(file);
    if (this.previous === null || this.previous.checksums.get(file) !== checksum) return;
    const draft = `${target}${INCOMPLETE}`;
    const { size } = await lstat(target);
    try {
      await link(path.join(this.previous.folder, file), draft);
      await rename(draft, target);
    } catch {
      // The copy does as well.
      return;
    }
    this.record.shareCopied(size);
  }

  private async pathFor(file: string): Promise<string> {
    const target = path.join(this.draft, file);
    await this.makeFolder(path.dirname(target));
    return target;
  }

  private async makeFolder(folder: string): Promise<void> {
    if (this.folders.has(folder)) return;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (let made = folder; made !== this.directory; made = path.dirname(made)) {
      this.folders.add(made);
    }
  }
}

/** Lists the folders of the backups in a directory, the newest first. */
export async function listBackups(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => []);
  const backups = names.filter((name) => NAME.test(name)).sort(byAge);
  return backups.reverse().map((name) => path.join(directory, name));
}

/** Finds the newest complete backup. One with damaged checksums is passed over: nothing tells what its files should be. */
async function findPrevious(directory: string): Promise<PreviousBackup | null> {
  for (const folder of await listBackups(directory)) {
    const checksums = await parseChecksums(createReadStream(path.join(folder, CHECKSUMS))).catch(
      () => null,
    );
    if (checksums !== null) return { folder, checksums };
  }
  return null;
}

function byAge(one: string, other: string): number {
  const [time = '', number = '0'] = one.split('-');
  const [otherTime = '', otherNumber = '0'] = other.split('-');
  if (time === otherTime) return Number(number) - Number(otherNumber);
  return time < otherTime ? -1 : 1;
}

function unusedName(names: readonly string[]): string {
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? time : `${time}-${number}`;
    if (!names.includes(name)) return name;
  }
}

/** Writes a file to the disk. */
async function writeAndClose(file: FileHandle, chunks: AsyncIterable<Buffer>): Promise<void> {
  try {
    for await (const chunk of chunks) await file.writeFile(chunk);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function* single(content: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(content);
}
