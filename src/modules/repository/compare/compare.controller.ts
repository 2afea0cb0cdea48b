import { Controller, Get, Query } from '@nestjs/common';
import { Answers } from '../../../platform/http/index.js';
import { InProject, type ProjectRef, Requires } from '../../access/index.js';
import { presentDiff } from '../diffs/diff.presenter.js';
import { presentCommitListItem } from '../commit.presenter.js';
import { type Comparison, CompareService } from './compare.service.js';
import { ComparisonView } from './comparison.view.js';
import { CompareDto } from './dto/compare.dto.js';

@Controller('projects/:id/repository/compare')
export class CompareController {
  constructor(private readonly comparisons: CompareService) {}

  /** What one revision has had since another one parted from it. */
  @Get()
  @Requires('code:read')
  @Answers(ComparisonView)
  async compare(
    @InProject() project: ProjectRef,
    @Query() { from, to }: CompareDto,
  ): Promise<ComparisonView> {
    return present(await this.comparisons.compare(project, from, to));
  }
}

function present({ commits, diffs, isCut, isSame }: Comparison): ComparisonView {
  const views = commits.map(presentCommitListItem);
  return {
    commit: views.at(-1) ?? null,
    commits: views,
    diffs: diffs.map(presentDiff),
    compare_timeout: isCut,
    compare_same_ref: isSame,
  };
}
