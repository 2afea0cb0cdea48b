import { stat } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { tooManyRequests } from '../../../platform/errors/index.js';
import type { ReceivedFile } from '../../../platform/http/index.js';
import type { StoredProject } from '../project-storage.js';
import { StorageQuota } from '../quota/storage-quota.js';
import { ProjectUploads, type Upload } from './project-uploads.js';

const RETRY_AFTER_SECONDS = 5;

@Injectable()
export class UploadsService {
  constructor(
    private readonly uploads: ProjectUploads,
    private readonly quota: StorageQuota,
  ) {}

  /**
   * Keeps a received file for good.
   * @throws DomainError too many requests when it was dropped, its sender not having said yet who they
   *   are, and others like that having been there before; storage limit
   */
  async create(project: StoredProject, file: ReceivedFile): Promise<Upload> {
    const { path } = file;
    if (path === null) throw tooManyRequests(RETRY_AFTER_SECONDS);
    const keep = (): Promise<Upload> => this.uploads.keep(project.id, path);
    return this.store(project, path, keep);
  }

  /**
   * Gives a project a file of another one, under a secret of its own; null when there is none. Many may be
   * copied in one unit of work, which `StorageQuota.run` runs then.
   * @throws DomainError not found when the project goes away meanwhile; storage limit
   */
  async copy(upload: Upload, fromProjectId: number, to: StoredProject): Promise<Upload | null> {
    const path = await this.uploads.find(fromProjectId, upload);
    if (path === null) return null;
    return this.store(to, path, () => this.uploads.copy(upload, fromProjectId, to.id));
  }

  private async store<T>(
    project: StoredProject,
    path: string,
    store: () => Promise<T>,
  ): Promise<T> {
    if (!this.quota.isLimited) return store();
    const { size } = await stat(path);
    return this.quota.store(project, 'uploads', size, store);
  }
}
