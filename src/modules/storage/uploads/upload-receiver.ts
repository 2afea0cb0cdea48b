import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { Request } from 'express';
import { invalidParameter } from '../../../platform/errors/index.js';
import {
  ByteLimit,
  faceOf,
  type FilePart,
  type FileReceiver,
  readCredential,
  ReceivedFile,
} from '../../../platform/http/index.js';
import { MIB } from '../../../platform/limits/index.js';
import {
  type Account,
  allows,
  Callers,
  canSee,
  parseProjectIdentifier,
  ProjectAccessRepository,
  type ProjectIdentifier,
} from '../../authorization/index.js';
import { SettingsService } from '../../settings/index.js';
import { uploadName } from '../upload-name.js';
import { UploadStorage } from '../upload-storage.js';

/** The path of uploads, in all versions of the API. */
const UPLOAD = /^projects\/([^/]+)\/uploads$/;
const FIELD = 'file';
/** Bytes of a body besides the file: other fields and part boundaries. */
const AROUND_THE_FILE_BYTES = 64 * 1024;
/** Files of unidentified clients that a process keeps at once. */
const MAX_UNIDENTIFIED = 8;

/**
 * Writes uploaded files to the disk while they are received, which is before the guards run. It therefore checks
 * itself whether the caller may upload. A credential may also follow later in the body; of such unidentified
 * clients it keeps only a few files at once. Files that the handler does not keep are removed after the response.
 */
@Injectable()
export class UploadReceiver implements FileReceiver {
  private readonly logger = new Logger(UploadReceiver.name);
  /** The largest file in bytes, by the settings at the start of the request. */
  private readonly limits = new WeakMap<Request, number>();
  private unidentified = 0;

  constructor(
    private readonly callers: Callers,
    private readonly projects: ProjectAccessRepository,
    private readonly settings: SettingsService,
    private readonly uploads: UploadStorage,
  ) {}

  async accepts(request: Request): Promise<number | undefined> {
    if (targetOf(request) === null) return undefined;
    const limit = (await this.settings.current()).maxAttachmentSize * MIB;
    this.limits.set(request, limit);
    return limit + AROUND_THE_FILE_BYTES;
  }

  /** @throws DomainError too large, invalid for a part without a file name */
  async receive(part: FilePart, request: Request): Promise<ReceivedFile> {
    if (part.field === FIELD && (await this.mayStore(request))) return this.store(part, request);
    part.content.resume();
    return new ReceivedFile(part.filename, null);
  }

  private async mayStore(request: Request): Promise<boolean> {
    const { token } = readCredential(request);
    const caller = token === undefined ? null : await this.callers.findByToken(token);
    return caller === null
      ? this.admitUnidentified(request)
      : this.mayUpload(caller, targetOf(request));
  }

  private admitUnidentified(request: Request): boolean {
    if (this.unidentified >= MAX_UNIDENTIFIED) return false;
    this.unidentified += 1;
    whenAnswered(request, () => (this.unidentified -= 1));
    return true;
  }

  private async mayUpload(caller: Account, target: ProjectIdentifier | null): Promise<boolean> {
    // May act as another user (`sudo`), which the guards check.
    if (caller.admin) return true;
    const access = target && (await this.projects.find(caller, target));
    return access !== null && canSee(access) && allows(access, 'project:upload');
  }

  private async store(part: FilePart, request: Request): Promise<ReceivedFile> {
    const name = uploadName(part.filename);
    if (name === null) throw invalidParameter(`${FIELD} is invalid`);
    const file = await this.uploads.begin(name);
    whenAnswered(request, () => {
      this.uploads
        .drop(file)
        .catch((error: unknown) => this.logger.warn('A received file could not be removed', error));
    });
    const limit = new ByteLimit(this.limits.get(request) ?? 0);
    await pipeline(part.content, limit, createWriteStream(file, { flags: 'wx', flush: true }));
    return new ReceivedFile(part.filename, file);
  }
}

/** Parses the project of an upload from the path; null for every other request. */
function targetOf(request: Request): ProjectIdentifier | null {
  const path = faceOf(request)?.relative(request.path) ?? '';
  const id = UPLOAD.exec(path)?.[1];
  if (request.method !== 'POST' || id === undefined) return null;
  try {
    return parseProjectIdentifier(decodeURIComponent(id));
  } catch {
    return null;
  }
}

/** Runs a callback when the response is finished or the client has disconnected. */
function whenAnswered({ res }: Request, done: () => void): void {
  if (res === undefined) throw new Error('The request has no response');
  finished(res, done);
}
