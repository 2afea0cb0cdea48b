import { Injectable } from '@nestjs/common';
import { tooManyRequests } from '../../../platform/errors/index.js';
import type { ReceivedFile } from '../../../platform/http/index.js';
import { ProjectUploads, type Upload } from './project-uploads.js';

const RETRY_AFTER_SECONDS = 5;

@Injectable()
export class UploadsService {
  constructor(private readonly uploads: ProjectUploads) {}

  /**
   * Keeps a received file for good.
   * @throws DomainError too many requests when it was dropped, its sender not having said yet who they
   *   are, and others like that having been there before
   */
  async create(projectId: number, file: ReceivedFile): Promise<Upload> {
    if (file.path === null) throw tooManyRequests(RETRY_AFTER_SECONDS);
    return this.uploads.keep(projectId, file.path);
  }
}
