import { Get, Param, Query } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
import { invalidParameter } from '../../../../platform/errors/index.js';
import {
  Answers,
  AnswersList,
  PageQuery,
  StringListParam,
  StringParam,
  VersionedAnswer,
} from '../../../../platform/http/index.js';
import { mapPage } from '../../../../platform/pagination/index.js';
import { InProject, type ProjectRef, Requires } from '../../../authorization/index.js';
import { CommitsService } from '../../commits/commits.service.js';
import { DiffsService } from '../../commits/diffs.service.js';
import { AnswerCache } from '../../shared/answer-cache.js';
import { V4CommitPresenter } from '../commits/commit.presenter.js';
import { V4CommitView } from '../commits/commit.view.js';
import { inProject, withoutStatuses } from '../commits/commits.controller.js';
import { presentV4Diff, V4ComparisonView, V4DiffView } from './diff.view.js';

/** `GET /projects/:id/repository/compare`. */
class V4CompareDto {
  @StringParam({ required: true, description: 'A revision to start from.' })
  from!: string;

  @StringParam({ required: true, description: 'A revision to arrive at.' })
  to!: string;
}

/** `GET /projects/:id/repository/merge_base`. */
class V4MergeBaseDto {
  @StringListParam({ required: true, description: 'Two revisions.' })
  refs!: string[];
}

@V4Controller('projects/:id/repository/commits/:sha/diff', 'Diffs')
export class V4DiffsController {
  constructor(
    private readonly diffs: DiffsService,
    private readonly answers: AnswerCache,
  ) {}

  /** The changes of a commit, file by file: at most 1,000 files or 50,000 lines. */
  @Get()
  @Requires('code:browse')
  @AnswersList(V4DiffView)
  async list(
    @InProject() project: ProjectRef,
    @Param('sha') sha: string,
    @Query() query: PageQuery,
  ): Promise<VersionedAnswer> {
    const diff = await this.diffs.listOfCommit(project, sha, query);
    return this.answers.versioned(diff, (page) => mapPage(page, presentV4Diff));
  }
}

@V4Controller('projects/:id/repository', 'Compare')
export class V4CompareController {
  constructor(
    private readonly diffs: DiffsService,
    private readonly commits: CommitsService,
    private readonly presenter: V4CommitPresenter,
  ) {}

  /** The commits and changes of one revision since its merge base with another. */
  @Get('compare')
  @Requires('code:browse')
  @Answers(V4ComparisonView)
  async compare(
    @InProject() project: ProjectRef,
    @Query() { from, to }: V4CompareDto,
  ): Promise<VersionedAnswer> {
    const compared = await this.diffs.compare(withoutStatuses(project), from, to);
    const { key, make, weigh } = inProject(compared, project);
    const show = async (): Promise<V4ComparisonView> => {
      const { commits, diffs, isCut, isSame } = await make();
      const shown = commits.map(({ commit }) => this.presenter.listed(project, commit));
      return {
        commit: shown.at(-1) ?? null,
        commits: shown,
        diffs: diffs.map(presentV4Diff),
        compare_timeout: isCut,
        compare_same_ref: isSame,
        web_url: this.presenter.page(project, 'compare', `${from}...${to}`),
      };
    };
    return new VersionedAnswer(JSON.stringify([...key, from, to]), show, weigh);
  }

  /** The best common ancestor of two revisions. */
  @Get('merge_base')
  @Requires('code:browse')
  @Answers(V4CommitView)
  async readMergeBase(
    @InProject() project: ProjectRef,
    @Query() { refs }: V4MergeBaseDto,
  ): Promise<V4CommitView> {
    const [first, second, ...further] = refs;
    if (first === undefined || second === undefined || further.length > 0) {
      throw invalidParameter('refs must be two revisions');
    }
    const oid = await this.diffs.findMergeBase(project, first, second);
    return this.presenter.listed(project, await this.commits.read(project, oid));
  }
}
