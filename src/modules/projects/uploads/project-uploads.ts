import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { folderSize } from '../../../git/index.js';
import { Config } from '../../../platform/config/index.js';
import { notFound } from '../../../platform/errors/index.js';
import { foldersIn, hashedFolder, hashedFolders } from '../hashed-folders.js';
import { uploadName } from './upload-name.js';

const SECRET_BYTES = 16;
const SECRET = /^[0-9a-f]{32}$/;
const PROJECT_ID = /^[1-9]\d*$/;

/** What names an uploaded file within its project. */
export interface Upload {
  /** 32 hexadecimal digits; whoever knows them may see an image. */
  secret: string;
  name: string;
}

/**
 * Where uploads lie: `uploads/@hashed/ab/cd/<project ID>/<secret>/<name>` below `DATA_DIR`. While one
 * arrives its folder is `uploads/@incoming/<secret>`, and is moved as a whole: what is served is
 * complete and on the disk.
 */
@Injectable()
export class ProjectUploads implements OnModuleInit {
  private readonly root: string;
  private readonly incoming: string;

  constructor({ dataDir }: Config) {
    this.root = path.join(dataDir, 'uploads');
    this.incoming = path.join(this.root, '@incoming');
  }

  async onModuleInit(): Promise<void> {
    await mkdir(this.incoming, { recursive: true });
  }

  /** Makes the place for a file that arrives. @param name by `uploadName` */
  async begin(name: string): Promise<string> {
    const folder = path.join(this.incoming, randomBytes(SECRET_BYTES).toString('hex'));
    await mkdir(folder);
    return path.join(folder, name);
  }

  /** Removes a file that arrived and was not kept. */
  async drop(file: string): Promise<void> {
    await rm(path.dirname(file), { recursive: true, force: true });
  }

  /**
   * Keeps a file that arrived, whose content is on the disk already.
   * @throws DomainError not found when the project's files or the client went away meanwhile
   */
  async keep(projectId: number, file: string): Promise<Upload> {
    const arrived = path.dirname(file);
    const upload = { secret: path.basename(arrived), name: path.basename(file) };
    const folder = this.folderOf(projectId);
    try {
      await sync(arrived);
      const firstMade = await mkdir(folder, { recursive: true });
      await rename(arrived, path.join(folder, upload.secret));
      await syncUpTo(folder, firstMade === undefined ? folder : path.dirname(firstMade));
    } catch (error) {
      throw isAbsent(error) ? notFound('Project') : error;
    }
    return upload;
  }

  /**
   * Gives a project a file of another one, under a secret of its own; null when there is none.
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

  /** The file behind a secret and a name, whatever these are; null when there is none. */
  async find(projectId: number, { secret, name }: Upload): Promise<string | null> {
    if (!SECRET.test(secret) || uploadName(name) !== name) return null;
    const file = path.join(this.folderOf(projectId), secret, name);
    const found = await stat(file).catch(() => null);
    return found?.isFile() === true ? file : null;
  }

  /** Bytes of all uploads of a project. */
  size(projectId: number): Promise<number> {
    return folderSize(this.folderOf(projectId));
  }

  /** Removes all uploads of a project. Safe to repeat. */
  async remove(projectId: number): Promise<void> {
    await rm(this.folderOf(projectId), { recursive: true, force: true });
  }

  /** The IDs of projects that have a folder, a few at a time. */
  async *projects(): AsyncGenerator<number[]> {
    for await (const folder of hashedFolders(this.root)) {
      yield (await foldersIn(folder)).filter((name) => PROJECT_ID.test(name)).map(Number);
    }
  }

  /** Removes what began to arrive long ago: its process died. */
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

/** Makes the names in a folder, and in the ones above it up to another, last through a power cut. */
async function syncUpTo(folder: string, last: string): Promise<void> {
  for (let at = folder; ; at = path.dirname(at)) {
    await sync(at);
    if (at === last) return;
  }
}

async function sync(place: string): Promise<void> {
  const handle = await open(place, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
