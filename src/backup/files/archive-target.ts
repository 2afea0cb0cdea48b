import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Pack, pack } from 'tar-stream';
import { syncFolder } from '../../platform/config/index.js';
import { BackupError } from '../errors.js';
import { CHECKSUMS } from '../manifest.js';
import { BackupRecord, type BackupTarget, readChunks } from './backup-target.js';
import { renderChecksums } from './checksums.js';
import { compressionOf } from './compression.js';

const INCOMPLETE = '.incomplete';
/** Holds what has to be known by its length before it is written to the archive. */
const SPOOL = '.spool';

/** Writes a backup to a compressed tar file. A file that is replaced is so once the backup is complete. */
export class ArchiveTarget implements BackupTarget {
  private readonly record = new BackupRecord();
  private readonly failed: Promise<never>;

  private constructor(
    private readonly file: string,
    private readonly tar: Pack,
    private readonly written: Promise<void>,
  ) {
    this.failed = new Promise((_, reject) => void written.catch(reject));
    this.failed.catch(() => undefined);
  }

  /**
   * @param replaces whether a file of that name may be replaced
   * @throws BackupError when the program that compresses is missing, or the file exists
   */
  static async begin(file: string, replaces: boolean): Promise<ArchiveTarget> {
    if (!replaces && (await lstat(file).catch(() => null)) !== null) {
      throw new BackupError(`${file} exists already: name another file, or replace it by --force.`);
    }
    const { compress } = await compressionOf(file);
    await mkdir(path.dirname(file), { recursive: true });
    await rm(file + INCOMPLETE, { force: true });
    const tar = pack();
    const output = createWriteStream(file + INCOMPLETE, { flags: 'wx', mode: 0o600, flush: true });
    return new ArchiveTarget(file, tar, pipeline(tar, compress, output));
  }

  get size() {
    return this.record.size;
  }

  reuse(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async addFile(name: string, file: FileHandle): Promise<void> {
    const { size } = await file.stat();
    await this.write(name, size, this.record.follow(name, readChunks(file)));
  }

  async addText(name: string, text: string): Promise<void> {
    const content = Buffer.from(text);
    await this.write(name, content.length, this.record.follow(name, single(content)));
  }

  addStream(name: string, content: Readable): Promise<void> {
    return this.spool(content, (file) => this.addFile(name, file));
  }

  async complete(): Promise<string> {
    await this.spool(renderChecksums(this.record.checksums), async (file) => {
      const { size } = await file.stat();
      await this.write(CHECKSUMS, size, readChunks(file));
    });
    this.tar.finalize();
    await this.written;
    await rename(this.file + INCOMPLETE, this.file);
    await syncFolder(path.dirname(this.file));
    return this.file;
  }

  async abandon(): Promise<void> {
    this.tar.destroy();
    await this.written.catch(() => undefined);
    await rm(this.file + INCOMPLETE, { force: true });
  }

  /** Writes what has an unknown length to a file that is there for as long as `use` takes. */
  private async spool(
    content: AsyncIterable<Buffer>,
    use: (file: FileHandle) => Promise<void>,
  ): Promise<void> {
    const spool = this.file + SPOOL;
    await rm(spool, { force: true });
    // No other process can have opened a file that is new. Without a name it is deleted with the process.
    const file = await open(spool, 'wx+', 0o600);
    try {
      await rm(spool);
      for await (const chunk of content) await file.writeFile(chunk);
      await use(file);
    } finally {
      await file.close();
    }
  }

  private async write(name: string, size: number, chunks: AsyncIterable<Buffer>): Promise<void> {
    const { entry, done } = this.beginEntry(name, size);
    for await (const chunk of chunks) {
      if (!entry.write(chunk)) await Promise.race([once(entry, 'drain'), this.failed]);
    }
    entry.end();
    await Promise.race([done, this.failed]);
  }

  private beginEntry(name: string, size: number) {
    let settle: (error?: Error | null) => void = () => undefined;
    const done = new Promise<void>((resolve, reject) => {
      settle = (error) => (error ? reject(error) : resolve());
    });
    const entry = this.tar.entry({ name, size, mode: 0o600 }, (error) => settle(error));
    return { entry, done };
  }
}

async function* single(content: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(content);
}
