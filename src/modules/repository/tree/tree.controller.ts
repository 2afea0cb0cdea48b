import { Controller, Get, Query } from '@nestjs/common';
import type { TreeEntry } from '../../../git/index.js';
import { AnswersList, mapPage, MayAnswer, Page } from '../../../platform/http/index.js';
import { InProject, type ProjectRef, Requires } from '../../access/index.js';
import { ListTreeDto } from './dto/list-tree.dto.js';
import { TreeService } from './tree.service.js';
import { TreeEntryView } from './tree.view.js';

@Controller('projects/:id/repository/tree')
export class TreeController {
  constructor(private readonly trees: TreeService) {}

  /** What is in a folder: folders first, then files, then submodules. */
  @Get()
  @Requires('code:read')
  @AnswersList(TreeEntryView)
  @MayAnswer(413)
  async list(
    @InProject() project: ProjectRef,
    @Query() query: ListTreeDto,
  ): Promise<Page<TreeEntryView>> {
    const { ref_name: refName, path, recursive = false } = query;
    return mapPage(await this.trees.list(project, { refName, path, recursive }, query), present);
  }
}

function present({ oid, name, type, path, mode }: TreeEntry): TreeEntryView {
  return { id: oid, name, type, path, mode };
}
