import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { Request } from 'express';
import { invalidParameter } from '../../../platform/errors/index.js';
import {
  API_PREFIX,
  ByteLimit,
  type FilePart,
  type FileReceiver,
  readCredential,
  ReceivedFile,
} from '../../../platform/http/index.js';
import {
  type Account,
  allows,
  Callers,
  canSee,
  parseProjectIdentifier,
  ProjectAccessRepository,
  type ProjectIdentifier,
} from '../../access/index.js';
import { SettingsService } from '../../settings/index.js';
import { ProjectUploads } from './project-uploads.js';
import { uploadName } from './upload-name.js';

const FIELD = 'file';
const MIB = 1024 * 1024;
/** What a body may bring on top of the file: other fields, and the lines between parts. */
const AROUND_THE_FILE_BYTES = 64 * 1024;
/** Files of clients that have not said yet who they are, kept at once by one process. */
const MAX_UNIDENTIFIED = 8;

/**
 * Puts uploaded files on the disk while they arrive, before the guards have seen the request: so it
 * looks itself whether the caller may upload, and where the credential may still follow in the body,
 * it keeps a few files only. What the handler does not claim is gone when the response is done.
 */
@Injectable()
export class UploadReceiver implements FileReceiver {
  private readonly logger = new Logger(UploadReceiver.name);
  /** The largest file in bytes, as the settings were when the request came. */
  private readonly limits = new WeakMap<Request, number>();
  private unidentified = 0;

  constructor(
    private readonly callers: Callers,
    private readonly projects: ProjectAccessRepository,
    private readonly settings: SettingsService,
    private readonly uploads: ProjectUploads,
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
    return caller === null ? this.takePlace(request) : this.mayUpload(caller, targetOf(request));
  }

  private takePlace(request: Request): boolean {
    if (this.unidentified >= MAX_UNIDENTIFIED) return false;
    this.unidentified += 1;
    whenAnswered(request, () => (this.unidentified -= 1));
    return true;
  }

  private async mayUpload(caller: Account, target: ProjectIdentifier | null): Promise<boolean> {
    // May act as somebody else, which the guards find out.
    if (caller.admin) return true;
    const access = target && (await this.projects.find(caller, target));
    return access !== null && canSee(access) && allows(access, 'project:upload');
  }

  private async store(part: FilePart, request: Request): Promise<ReceivedFile> {
    const name = uploadName(part.filename);
    if (name === null) throw invalidParameter(`${FIELD} is invalid`);
    const file = await this.uploads.begin(name);
    whenAnswered(request, () => {
      this.uploads.drop(file).catch((error: unknown) => this.logger.warn('Not dropped', error));
    });
    const limit = new ByteLimit(this.limits.get(request) ?? 0);
    await pipeline(part.content, limit, createWriteStream(file, { flags: 'wx', flush: true }));
    return new ReceivedFile(part.filename, file);
  }
}

/** The project that a request uploads to, null for every other request. */
function targetOf({ method, path }: Request): ProjectIdentifier | null {
  const id = new RegExp(`^${API_PREFIX}/projects/([^/]+)/uploads$`).exec(path)?.[1];
  if (method !== 'POST' || id === undefined) return null;
  try {
    return parseProjectIdentifier(decodeURIComponent(id));
  } catch {
    return null;
  }
}

/** Also when the client is gone already. */
function whenAnswered({ res }: Request, done: () => void): void {
  if (res === undefined) throw new Error('The request has no response');
  finished(res, done);
}
