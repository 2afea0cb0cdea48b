import { Get } from '@nestjs/common';
import { V3Controller } from '../../../../faces/index.js';
import { Answers } from '../../../../platform/http/index.js';
import { InProject, type ProjectRef, Requires } from '../../../authorization/index.js';
import { ImportView, presentImport } from './import.view.js';
import { ImportsService } from '../../lifecycle/imports/imports.service.js';

@V3Controller('projects/:id/import', 'Imports')
export class ImportsController {
  constructor(private readonly imports: ImportsService) {}

  /** The status of the import of a project, and why it failed. */
  @Get()
  @Requires('project:edit')
  @Answers(ImportView)
  async read(@InProject() { id }: ProjectRef): Promise<ImportView> {
    return presentImport(id, await this.imports.read(id));
  }
}
