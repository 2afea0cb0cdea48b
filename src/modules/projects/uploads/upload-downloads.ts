import { Injectable } from '@nestjs/common';
import { forbidden, routeNotFound } from '../../../platform/errors/index.js';
import { parseBasic } from '../../../platform/http/index.js';
import { type Account, canSee, ProjectAccessRepository } from '../../access/index.js';
import { AuthenticationService, PasswordThrottle } from '../../users/index.js';
import { ProjectUploads, type Upload } from './project-uploads.js';
import { kindOf } from './upload-name.js';
import { uploadType, type UploadType } from './upload-type.js';

/** What a request for a file says about who is calling. */
export interface Visitor {
  /** IP address. */
  address: string;
  token: string | undefined;
  authorization: string | undefined;
}

export interface FoundUpload extends UploadType {
  path: string;
}

/**
 * Gives out uploaded files (docs/reference/projects.md#downloading-uploads): images and videos to
 * whoever has the address, others to those who may read the project. A credential that belongs to
 * nobody opens nothing.
 */
@Injectable()
export class UploadDownloads {
  constructor(
    private readonly authentication: AuthenticationService,
    private readonly throttle: PasswordThrottle,
    private readonly projects: ProjectAccessRepository,
    private readonly uploads: ProjectUploads,
  ) {}

  /** @throws DomainError 404 without telling why; 403 for an address that is shut out */
  async find(
    visitor: Visitor,
    project: { namespace: string; path: string },
    upload: Upload,
  ): Promise<FoundUpload> {
    const caller = await this.identify(visitor);
    const access = await this.projects.find(caller, project);
    if (access === null) throw routeNotFound();
    if (kindOf(upload.name) === 'other' && !canSee(access)) throw routeNotFound();
    const path = await this.uploads.find(access.project.id, upload);
    if (path === null) throw routeNotFound();
    return { path, ...(await uploadType(path, upload.name)) };
  }

  private async identify({ address, token, authorization }: Visitor): Promise<Account | null> {
    if (token !== undefined) return known(await this.authentication.findByToken(token));
    const basic = parseBasic(authorization);
    if (basic === null) return null;
    if (await this.throttle.isShutOut(address)) throw forbidden();
    const attempt = this.throttle.forBasicAuthentication(address);
    return known(
      await this.authentication.findByBasicCredential(basic.login, basic.secret, attempt),
    );
  }
}

function known(account: Account | null): Account {
  if (account === null) throw routeNotFound();
  return account;
}
