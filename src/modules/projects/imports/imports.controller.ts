import { Controller, Get } from '@nestjs/common';
import { Answers } from '../../../platform/http/index.js';
import { InProject, type ProjectRef, Requires } from '../../access/index.js';
import { type ImportStatus, ImportView } from './import.view.js';
import type { ImportState } from './project-import.entity.js';
import { ProjectImportsRepository } from './project-imports.repository.js';

/** In the words that clients know. */
const STATUS: Readonly<Record<ImportState, ImportStatus>> = {
  waiting: 'scheduled',
  running: 'started',
  finished: 'finished',
  failed: 'failed',
};

@Controller('projects/:id/import')
export class ImportsController {
  constructor(private readonly imports: ProjectImportsRepository) {}

  /** How far the import of a project is, and why it failed. */
  @Get()
  @Requires('project:edit')
  @Answers(ImportView)
  async read(@InProject() { id }: ProjectRef): Promise<ImportView> {
    const found = await this.imports.find(id);
    return {
      id,
      import_status: found === null ? 'none' : STATUS[found.state],
      import_error: found?.failure ?? null,
    };
  }
}
