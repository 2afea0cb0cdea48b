import { Injectable } from '@nestjs/common';
import { recordNotFound } from '../../../platform/errors/index.js';
import { Page, type PageRequest } from '../../../platform/http/index.js';
import type { ProjectAccess, Subject } from '../../access/index.js';
import { MergeRequestFinder } from '../merge-request-finder.js';
import type { LocatedMergeRequest } from '../merge-requests.repository.js';
import type { MergeRequestVersion } from './merge-request-version.entity.js';
import { VersionsRepository } from './versions.repository.js';

/** Finds versions for those who may read their merge requests. */
@Injectable()
export class VersionsService {
  constructor(
    private readonly finder: MergeRequestFinder,
    private readonly versions: VersionsRepository,
  ) {}

  /**
   * The newest first.
   * @throws DomainError record not found, forbidden
   */
  async list(
    access: ProjectAccess,
    reader: Subject,
    mergeRequestId: number,
    request: PageRequest,
  ): Promise<Page<MergeRequestVersion>> {
    const { id } = await this.finder.read(access, reader, mergeRequestId);
    const { versions, total } = await this.versions.list(id, request);
    return Page.cut(versions, total, request);
  }

  /** @throws DomainError record not found, forbidden */
  async read(
    access: ProjectAccess,
    reader: Subject,
    mergeRequestId: number,
    versionId: number,
  ): Promise<MergeRequestVersion> {
    const { id } = await this.finder.read(access, reader, mergeRequestId);
    const version = await this.versions.find(id, versionId);
    if (version === null) throw recordNotFound();
    return version;
  }

  /**
   * A merge request with its newest version, null when its branches never were there.
   * @throws DomainError record not found, forbidden
   */
  async newest(
    access: ProjectAccess,
    reader: Subject,
    mergeRequestId: number,
  ): Promise<{ mergeRequest: LocatedMergeRequest; version: MergeRequestVersion | null }> {
    const mergeRequest = await this.finder.read(access, reader, mergeRequestId);
    const { id, latestVersionId } = mergeRequest;
    const version = latestVersionId === null ? null : await this.versions.find(id, latestVersionId);
    return { mergeRequest, version };
  }
}
