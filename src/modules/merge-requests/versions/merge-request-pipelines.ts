import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../../platform/pagination/index.js';
import {
  canSee,
  type ProjectAccess,
  ProjectAccessRepository,
  type ProjectRef,
  type Subject,
} from '../../authorization/index.js';
import { type Pipeline, type PipelineDetails, Pipelines } from '../../repository/index.js';
import type { MergeRequest } from '../model/merge-request.entity.js';
import { VersionsRepository } from './versions.repository.js';

type Sourced = Pick<MergeRequest, 'id' | 'sourceProjectId' | 'sourceBranch' | 'headSha'>;

/** The pipelines of the heads of a merge request on its source branch, which the source project has. */
@Injectable()
export class MergeRequestPipelines {
  constructor(
    private readonly projects: ProjectAccessRepository,
    private readonly versions: VersionsRepository,
    private readonly pipelines: Pipelines,
  ) {}

  /**
   * Finds the pipeline of the newest head.
   * @param access of the reader to the target project
   * @returns null without any, and for those who may not read pipelines of the source project
   */
  async findHead(
    request: Sourced,
    access: ProjectAccess,
    reader: Subject,
  ): Promise<{ source: ProjectRef; pipeline: PipelineDetails } | null> {
    const { headSha: sha, sourceBranch: ref } = request;
    if (sha === null) return null;
    const source = await this.findSource(request, access, reader);
    const pipeline = source && (await this.pipelines.findForReader(source, { sha, ref }));
    return pipeline && { source: source.project, pipeline };
  }

  /**
   * Lists the pipelines of the heads of all versions, the newest first.
   * @param access of the reader to the target project
   * @returns null where the reader does not see the source project
   * @throws DomainError forbidden
   */
  async list(
    request: Sourced,
    access: ProjectAccess,
    reader: Subject,
    page: PageRequest,
  ): Promise<{ source: ProjectRef; pipelines: Page<Pipeline> } | null> {
    const source = await this.findSource(request, access, reader);
    if (source === null) return null;
    const shas = await this.versions.findHeads(request.id);
    const filter = { shas, ref: request.sourceBranch, isAscending: false };
    return { source: source.project, pipelines: await this.pipelines.list(source, filter, page) };
  }

  private async findSource(
    { sourceProjectId: id }: Sourced,
    access: ProjectAccess,
    reader: Subject,
  ): Promise<ProjectAccess | null> {
    if (id === null || id === access.project.id) return id === null ? null : access;
    const source = await this.projects.find(reader, { id });
    return source !== null && canSee(source) ? source : null;
  }
}
