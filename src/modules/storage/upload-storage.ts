import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, copyFile, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { folderSize, Git } from '../../git/index.js';
import { Config } from '../../platform/config/index.js';
import { notFound } from '../../platform/errors/index.js';
import { foldersIn, hashedFolder, hashedFolders } from './repositories/hashed-folders.js';
import { uploadName } from './upload-name.js';

/** Lies in `DATA_DIR` as well: its looks and those at uploads are limited together. */
const STORAGE = 'default';
const SECRET_BYTES = 16;
const SECRET = /^[0-9a-f]{32}$/;
const PROJECT_ID = /^[1-9]\d*$/;

/** The key of an uploaded file within its project. */
export interface Upload {
  /** 32 hexadecimal digits, which give access to images and videos. */
  secret: string;
  name: string;
}

/**
 * Stores uploads at `uploads/@hashed/ab/cd/<project ID>/<secret>/<name>` below `DATA_DIR`. A file is received
 * in the folder `uploads/@incoming/<secret>`, which is flushed and then moved, so that every stored file is
 * complete.
 */
@Injectable()
export class UploadStorage implements OnModuleInit {
  private readonly root: string;
  private readonly incoming: string;

  constructor(
    private readonly git: Git,
    { dataDir }: Config,
  ) {
    this.root = path.join(dataDir, 'uploads');
    this.incoming = path.join(this.root, '@incoming');
  }

  async onModuleInit(): Promise<void> {
    await mkdir(this.incoming, { recursive: true });
  }

  /**
   * Creates the folder for a file to be received.
   * @param name from `uploadName`
   * @returns the path to write the file to
   * @throws StorageUnavailableError
   */
  async begin(name: string): Promise<string> {
    const folder = path.join(this.incoming, randomBytes(SECRET_BYTES).toString('hex'));
    await this.git.look(STORAGE, () => mkdir(folder));
    return path.join(folder, name);
  }

  /** Removes a received file. Does nothing after `keep`. */
  async drop(file: string): Promise<void> {
    await rm(path.dirname(file), { recursive: true, force: true });
  }

  /**
   * Moves a received file, whose content is flushed, to the project's uploads.
   * @throws DomainError not found when the file or the project's folder was removed meanwhile
   */
  async keep(projectId: number, file: string): Promise<Upload> {
    const received = path.dirname(file);
    const upload = { secret: path.basename(received), name: path.basename(file) };
    const folder = this.folderOf(projectId);
    try {
      await sync(received);
      const firstMade = await mkdir(folder, { recursive: true });
      await rename(received, path.join(folder, upload.secret));
      await syncUpTo(folder, firstMade === undefined ? folder : path.dirname(firstMade));
    } catch (error) {
      throw isAbsent(error) ? notFound('project') : error;
    }
    return upload;
  }

  /**
   * Copies a file of a project to another one, under a new secret.
   * @returns null when there is no such file
   * @throws DomainError not found as `keep` does
   */
  async copy(upload: Upload, projectId: number, toProjectId: number): Promise<Upload | null> {
    const found = await this.find(projectId, upload);
    if (found === null) return null;
    const file = await this.begin(upload.name);
    try {
      await copyFile(found, file);
      await sync(file);
      return await this.keep(toProjectId, file);
    } catch (error) {
      await this.drop(file);
      throw error;
    }
  }

  /**
   * Finds the path of a file by unchecked secret and name; null when there is none.
   * @throws StorageUnavailableError
   */
  async find(projectId: number, { secret, name }: Upload): Promise<string | null> {
    if (!SECRET.test(secret) || uploadName(name) !== name) return null;
    const file = path.join(this.folderOf(projectId), secret, name);
    const found = await this.git.look(STORAGE, () => stat(file).catch(() => null));
    return found?.isFile() === true ? file : null;
  }

  /** Measures all uploads of a project, in bytes. */
  size(projectId: number): Promise<number> {
    return folderSize(this.folderOf(projectId));
  }

  /** Removes all uploads of a project. Safe to repeat. */
  async remove(projectId: number): Promise<void> {
    await rm(this.folderOf(projectId), { recursive: true, force: true });
  }

  /** Lists the paths below the folder of a project that should be files to be read, and are not. */
  async findUnreadable(projectId: number): Promise<string[]> {
    const folder = this.folderOf(projectId);
    const unreadable: string[] = [];
    for (const secret of await readdir(folder).catch(ignoreAbsence)) {
      const upload = path.join(folder, secret);
      const names = await readdir(upload).catch(() => []);
      const [name] = names;
      const isUpload = SECRET.test(secret) && names.length === 1 && name !== undefined;
      const isReadable = isUpload && (await isReadableFile(path.join(upload, name)));
      if (!isReadable) unreadable.push(isUpload ? path.join(upload, name) : upload);
    }
    return unreadable;
  }

  /** Yields the IDs of the projects that have a folder, in batches. */
  async *projects(): AsyncGenerator<number[]> {
    for await (const folder of hashedFolders(this.root)) {
      yield (await foldersIn(folder)).filter((name) => PROJECT_ID.test(name)).map(Number);
    }
  }

  /** Removes files whose receiving began long ago: their process died. */
  async removeAbandoned(olderThanMs: number): Promise<void> {
    for (const name of await readdir(this.incoming)) {
      const folder = path.join(this.incoming, name);
      const found = await stat(folder).catch(() => null);
      if (found !== null && found.mtimeMs < Date.now() - olderThanMs) {
        await rm(folder, { recursive: true, force: true });
      }
    }
  }

  private folderOf(projectId: number): string {
    return path.join(hashedFolder(this.root, projectId), String(projectId));
  }
}

/** Flushes a folder and its parents up to `last`, so that their entries survive a power failure. */
async function syncUpTo(folder: string, last: string): Promise<void> {
  for (let current = folder; ; current = path.dirname(current)) {
    await sync(current);
    if (current === last) return;
  }
}

async function sync(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function ignoreAbsence(error: unknown): never[] {
  if (isAbsent(error)) return [];
  throw error;
}

async function isReadableFile(file: string): Promise<boolean> {
  try {
    await access(file, constants.R_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

function isAbsent(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
