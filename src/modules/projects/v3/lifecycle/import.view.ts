import { ApiProperty } from '../../../../platform/http/index.js';
import type { ImportState, ProjectImport } from '../../lifecycle/imports/project-import.entity.js';

const IMPORT_STATUSES = ['none', 'scheduled', 'started', 'finished', 'failed'] as const;

type ImportStatus = (typeof IMPORT_STATUSES)[number];

/** The states in responses. */
const STATUS: Readonly<Record<ImportState, ImportStatus>> = {
  waiting: 'scheduled',
  running: 'started',
  finished: 'finished',
  failed: 'failed',
};

/** The status of the import of a project. */
export class ImportView {
  /** Of the project. */
  id!: number;
  @ApiProperty({ enum: IMPORT_STATUSES })
  import_status!: ImportStatus;
  /** Why it failed; null unless it has. */
  import_error!: string | null;
}

/** @param found the latest import of the project; null when there was none */
export function presentImport(projectId: number, found: ProjectImport | null): ImportView {
  return {
    id: projectId,
    import_status: found === null ? 'none' : STATUS[found.state],
    import_error: found?.failure ?? null,
  };
}
