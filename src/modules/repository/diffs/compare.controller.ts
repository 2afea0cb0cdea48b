import { Controller, Get, Query } from '@nestjs/common';
import { Answers } from '../../../platform/http/index.js';
import { InProject, type ProjectRef, Requires } from '../../access/index.js';
import { CompareDto } from './compare.dto.js';
import { ComparisonView, presentComparison } from './diff.view.js';
import { DiffsService } from './diffs.service.js';

@Controller('projects/:id/repository/compare')
export class CompareController {
  constructor(private readonly diffs: DiffsService) {}

  /** The commits and changes of one revision since its merge base with another. */
  @Get()
  @Requires('code:read')
  @Answers(ComparisonView)
  async compare(
    @InProject() project: ProjectRef,
    @Query() { from, to }: CompareDto,
  ): Promise<ComparisonView> {
    return presentComparison(await this.diffs.compare(project, from, to));
  }
}
