import { Get, Param, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import { Answers, AnswersList, PageQuery, VersionedAnswer } from '../../../platform/http/index.js';
import { mapPage, type Page } from '../../../platform/pagination/index.js';
import { Access, MaybeCaller, type ProjectAccess, Requires } from '../../authorization/index.js';
import { IssuableKinds, RequiresEnabled } from '../../issuables/index.js';
import { presentV4Diff, V4CommitPresenter } from '../../repository/v4/index.js';
import { User } from '../../users/index.js';
import { VersionsService } from '../versions/versions.service.js';
import { presentV4Version, V4VersionView, V4WholeVersionView } from './version.view.js';

/** The most commits that the response with one version contains. */
const MAX_COMMITS = 1_000;

/** The versions of a merge request. */
@V4Controller('projects/:id/merge_requests/:merge_request_iid/versions', 'MergeRequestVersions')
@RequiresEnabled('MergeRequest')
export class V4VersionsController {
  constructor(
    private readonly kinds: IssuableKinds,
    private readonly versions: VersionsService,
    private readonly commitPresenter: V4CommitPresenter,
  ) {}

  /** The versions of a merge request, newest first. */
  @Get()
  @Requires('merge-request:browse')
  @AnswersList(V4VersionView)
  async list(
    @MaybeCaller() caller: User | null,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
    @Query() query: PageQuery,
  ): Promise<Page<V4VersionView>> {
    const id = await this.findId(access, iid);
    return mapPage(await this.versions.list(access, caller, id, query), presentV4Version);
  }

  /** One version of a merge request with its commits and changes. */
  @Get(':version_id')
  @Requires('merge-request:browse')
  @Answers(V4WholeVersionView)
  async read(
    @MaybeCaller() caller: User | null,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
    @Param('version_id') versionId: number,
  ): Promise<VersionedAnswer> {
    const { project } = access;
    const id = await this.findId(access, iid);
    const version = await this.versions.read(access, caller, id, versionId);
    const view = presentV4Version(version);
    // Commits have addresses with the path of the project.
    const key = JSON.stringify([view, project.namespacePath, project.path]);
    const { make, weigh } = this.versions.compare(project, version);
    const show = async (): Promise<V4WholeVersionView> => {
      const commits = await this.versions.readNewestCommits(project, version, MAX_COMMITS);
      const changes = await make();
      return {
        ...view,
        commits: commits.map((commit) => this.commitPresenter.listed(project, commit)),
        diffs: changes.map(presentV4Diff),
      };
    };
    return new VersionedAnswer(key, show, weigh);
  }

  private async findId({ project }: ProjectAccess, iid: number): Promise<number> {
    const number = { projectId: project.id, iid };
    return (await this.kinds.findByNumber('MergeRequest', number)).id;
  }
}
