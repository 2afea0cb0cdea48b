import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { notFound } from '../../../platform/errors/index.js';
import type { ProjectRef } from '../../access/index.js';
import { ProjectStorage } from '../../projects/index.js';
import type { ArchiveFormat } from './archive-format.js';

export interface Archive {
  /** Of the file; without its extension also the name of the folder in it. */
  name: string;
  content: Readable;
}

@Injectable()
export class ArchiveService {
  constructor(private readonly storage: ProjectStorage) {}

  /**
   * The files of a revision; the content must be read or destroyed.
   * @throws DomainError not found
   */
  async open(
    project: ProjectRef,
    sha: string | undefined,
    { container, extension, compress }: ArchiveFormat,
  ): Promise<Archive> {
    const repository = this.storage.repository(project);
    const rev = sha ?? project.defaultBranch;
    const commit = rev === null ? null : await repository.resolveCommit(rev);
    if (rev === null || commit === null) throw notFound('File');
    const folder = `${project.path}-${rev.replaceAll('/', '-')}-${commit}`;
    const archive = await repository.archive({ commit, format: container, folder });
    return { name: `${folder}.${extension}`, content: compress(archive) };
  }
}
