import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { notFound } from '../../../platform/errors/index.js';
import type { ProjectRef } from '../../access/index.js';
import { FileFinder } from '../blobs/file-finder.js';
import { ProjectStorage } from '../../projects/index.js';
import type { FileView } from './file.view.js';

/** Larger files are to be had as they are, not within JSON; bytes. */
const MAX_BYTES = 20 * 1024 * 1024;

@Injectable()
export class FilesService {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly files: FileFinder,
  ) {}

  /**
   * @throws DomainError not found
   * @throws ObjectTooLargeError
   */
  async read(project: ProjectRef, ref: string, filePath: string): Promise<FileView> {
    const { commit, blob } = await this.files.find(project, ref, filePath);
    const [content, lastChange] = await Promise.all([
      this.contentOf(project, blob),
      this.storage.repository(project).lastChange(commit.oid, filePath),
    ]);
    return {
      file_name: path.posix.basename(filePath),
      file_path: filePath,
      size: content.length,
      encoding: 'base64',
      content: content.toString('base64'),
      ref,
      blob_id: blob,
      commit_id: commit.oid,
      last_commit_id: lastChange ?? commit.oid,
    };
  }

  private async contentOf(project: ProjectRef, blob: string): Promise<Buffer> {
    const { objects } = this.storage.repository(project);
    const object = await objects.read(blob, { maxBytes: MAX_BYTES });
    if (object === null) throw notFound('File');
    return object.content;
  }
}
