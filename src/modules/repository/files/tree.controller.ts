import { Controller, Get, Query } from '@nestjs/common';
import type { TreeEntry } from '../../../git/index.js';
import { AnswersList, MayAnswer } from '../../../platform/http/index.js';
import { mapPage, Page } from '../../../platform/pages/index.js';
import { InProject, type ProjectRef, Requires } from '../../access/index.js';
import { ListTreeDto } from './file.dto.js';
import { TreeEntryView } from './file.view.js';
import { FilesService } from './files.service.js';

@Controller('projects/:id/repository/tree')
export class TreeController {
  constructor(private readonly files: FilesService) {}

  /** The entries of a folder: folders first, then files, then submodules. */
  @Get()
  @Requires('code:read')
  @AnswersList(TreeEntryView)
  @MayAnswer(413)
  async list(
    @InProject() project: ProjectRef,
    @Query() query: ListTreeDto,
  ): Promise<Page<TreeEntryView>> {
    const { ref_name: refName, path, recursive = false } = query;
    const page = await this.files.listFolder(project, { refName, path, recursive }, query);
    return mapPage(page, presentTreeEntry);
  }
}

function presentTreeEntry({ oid, name, type, path, mode }: TreeEntry): TreeEntryView {
  return { id: oid, name, type, path, mode };
}
