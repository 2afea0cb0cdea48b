import { stat } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { forbidden, tooManyRequests } from '../../../platform/errors/index.js';
import { parseBasic, type ReceivedFile } from '../../../platform/http/index.js';
import {
  type Account,
  canSee,
  ProjectAccessRepository,
  type ProjectIdentifier,
} from '../../authorization/index.js';
import { AuthenticationService, PasswordThrottle } from '../../users/index.js';
import type { StoredProject } from '../repositories/project-storage.js';
import { StorageQuota } from '../quota/storage-quota.js';
import { kindOf } from '../upload-name.js';
import { type Upload, UploadStorage } from '../upload-storage.js';
import { type FoundUpload, uploadType } from './send-upload.js';
import { uploadMissing } from '../refusals.js';
import { UploadIdsRepository } from './upload-ids.repository.js';

const RETRY_AFTER_SECONDS = 5;

/** The credentials of a download, which does not pass the guards of the API. */
interface DownloadCredentials {
  /** IP address of the client. */
  address: string;
  token: string | undefined;
  /** The header `Authorization`. */
  authorization: string | undefined;
  /** Aborted when the client has disconnected. */
  gone: AbortSignal;
}

/** Files that texts of a project link to (docs/reference/projects.md#uploads). */
@Injectable()
export class UploadsService {
  constructor(
    private readonly uploads: UploadStorage,
    private readonly ids: UploadIdsRepository,
    private readonly quota: StorageQuota,
    private readonly projects: ProjectAccessRepository,
    private readonly authentication: AuthenticationService,
    private readonly throttle: PasswordThrottle,
  ) {}

  /**
   * Stores a received file.
   * @throws DomainError storage limit; too many requests when `UploadReceiver` did not keep the file, since it
   * already held too many files of unidentified clients
   */
  async create(project: StoredProject, file: ReceivedFile): Promise<Upload> {
    const { path } = file;
    if (path === null) throw tooManyRequests(RETRY_AFTER_SECONDS);
    return this.store(project, path, () => this.uploads.keep(project.id, path));
  }

  /**
   * Does the same, and numbers the upload. The ID is in the answer only: nothing finds an upload by it.
   * @throws DomainError as `create` does
   */
  async createNumbered(
    project: StoredProject,
    file: ReceivedFile,
  ): Promise<{ id: number; upload: Upload }> {
    const id = await this.ids.next();
    return { id, upload: await this.create(project, file) };
  }

  /**
   * Copies a file of a project to another one, under a new secret. A unit of work that copies many files is run
   * by `StorageQuota.run`.
   * @returns null when there is no such file
   * @throws DomainError not found when the target is deleted meanwhile; storage limit
   */
  async copy(upload: Upload, fromProjectId: number, to: StoredProject): Promise<Upload | null> {
    const path = await this.uploads.find(fromProjectId, upload);
    if (path === null) return null;
    return this.store(to, path, () => this.uploads.copy(upload, fromProjectId, to.id));
  }

  /**
   * Finds a file for a download (docs/reference/projects.md#downloading-uploads). Images and videos need no
   * access to the project, other files do. An invalid credential gives no access to either.
   * @throws DomainError 404, whatever is missing; 403 for an address that is shut out
   */
  async findForDownload(
    credentials: DownloadCredentials,
    project: ProjectIdentifier,
    upload: Upload,
  ): Promise<FoundUpload> {
    const caller = await this.authenticate(credentials);
    const access = await this.projects.find(caller, project);
    if (access === null) throw uploadMissing();
    if (kindOf(upload.name) === 'other' && !canSee(access)) throw uploadMissing();
    const path = await this.uploads.find(access.project.id, upload);
    if (path === null) throw uploadMissing();
    return { path, ...(await uploadType(path, upload.name)) };
  }

  /** Lists the paths of a project's uploads that cannot be read. */
  findUnreadable(projectId: number): Promise<string[]> {
    return this.uploads.findUnreadable(projectId);
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

  private async authenticate(credentials: DownloadCredentials): Promise<Account | null> {
    const { address, token, authorization, gone } = credentials;
    if (token !== undefined) return accepted(await this.authentication.findByToken(token));
    const basic = parseBasic(authorization);
    if (basic === null) return null;
    if (await this.throttle.isShutOut(address)) throw forbidden();
    return accepted(
      await this.authentication.findByBasicCredential(basic.login, basic.secret, { address, gone }),
    );
  }
}

function accepted(account: Account | null): Account {
  if (account === null) throw uploadMissing();
  return account;
}
