import { Controller, Get } from '@nestjs/common';
import { Answers } from '../../../../platform/http/index.js';
import { InProject, type ProjectRef, Requires } from '../../../access/index.js';
import { type ImportStatus, ImportView } from './import.view.js';
import type { ImportState } from './project-import.entity.js';
import { ImportsService } from './imports.service.js';

/** The states in responses. */
const STATUS: Readonly<Record<ImportState, ImportStatus>> = {
  waiting: 'scheduled',
  running: 'started',
  finished: 'finished',
  failed: 'failed',
};

@Controller('projects/:id/import')
export class ImportsController {
  constructor(private readonly imports: ImportsService) {}

  /** The status of the import of a project, and why it failed. */
  @Get()
  @Requires('project:edit')
  @Answers(ImportView)
  async read(@InProject() { id }: ProjectRef): Promise<ImportView> {
    const found = await this.imports.read(id);
    return {
      id,
      import_status: found === null ? 'none' : STATUS[found.state],
      import_error: found?.failure ?? null,
    };
  }
}
