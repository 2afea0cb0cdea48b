import path from 'node:path';
import { Injectable } from '@nestjs/common';
import type { FileContent } from '../../../git/index.js';
import { notFound } from '../../../platform/errors/index.js';
import type { ProjectRef } from '../../access/index.js';
import { ProjectStorage } from '../../projects/index.js';
import { FileFinder } from './file-finder.js';

export interface NamedFile extends FileContent {
  /** Without folders; absent where only the content is asked for. */
  name?: string;
}

@Injectable()
export class BlobsService {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly files: FileFinder,
  ) {}

  /**
   * A file of a revision.
   * @throws DomainError not found
   */
  async ofPath(project: ProjectRef, sha: string, filepath: string): Promise<NamedFile> {
    const { blob } = await this.files.find(project, sha, filepath);
    const file = await this.storage.repository(project).file(blob);
    if (file === null) throw notFound('File');
    return { ...file, name: path.posix.basename(filepath) };
  }

  /**
   * @param sha the hash of a blob, perhaps abbreviated
   * @throws DomainError not found
   */
  async ofHash(project: ProjectRef, sha: string): Promise<NamedFile> {
    const repository = this.storage.repository(project);
    const oid = await repository.objects.findBlob(sha.toLowerCase());
    const file = oid === null ? null : await repository.file(oid);
    if (file === null) throw notFound('Blob');
    return file;
  }
}
