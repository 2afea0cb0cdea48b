import { Get, Param, Query } from '@nestjs/common';
import { V3Controller } from '../../../../faces/index.js';
import {
  Answers,
  AnswersList,
  PageQuery,
  StringParam,
  VersionedAnswer,
} from '../../../../platform/http/index.js';
import { mapPage } from '../../../../platform/pagination/index.js';
import { InProject, type ProjectRef, Requires } from '../../../authorization/index.js';
import { AnswerCache } from '../../shared/answer-cache.js';
import { ComparisonView, DiffView, presentComparison, presentDiff } from './diff.view.js';
import { DiffsService } from '../../commits/diffs.service.js';

/** `GET /projects/:id/repository/compare`. */
class CompareDto {
  @StringParam({ required: true, description: 'A revision to start from.' })
  from!: string;

  @StringParam({ required: true, description: 'A revision to arrive at.' })
  to!: string;
}

@V3Controller('projects/:id/repository/commits/:sha/diff', 'Diffs')
export class DiffsController {
  constructor(
    private readonly diffs: DiffsService,
    private readonly answers: AnswerCache,
  ) {}

  /** The changes of a commit, file by file: at most 1,000 files or 50,000 lines. */
  @Get()
  @Requires('code:read')
  @AnswersList(DiffView)
  async list(
    @InProject() project: ProjectRef,
    @Param('sha') sha: string,
    @Query() query: PageQuery,
  ): Promise<VersionedAnswer> {
    const diff = await this.diffs.listOfCommit(project, sha, query);
    return this.answers.versioned(diff, (page) => mapPage(page, presentDiff));
  }
}

@V3Controller('projects/:id/repository/compare', 'Compare')
export class CompareController {
  constructor(private readonly diffs: DiffsService) {}

  /** The commits and changes of one revision since its merge base with another. */
  @Get()
  @Requires('code:read')
  @Answers(ComparisonView)
  async compare(
    @InProject() project: ProjectRef,
    @Query() { from, to }: CompareDto,
  ): Promise<VersionedAnswer> {
    const { key, make, weigh } = await this.diffs.compare(project, from, to);
    const show = async (): Promise<ComparisonView> => presentComparison(await make());
    return new VersionedAnswer(JSON.stringify(key), show, weigh);
  }
}
