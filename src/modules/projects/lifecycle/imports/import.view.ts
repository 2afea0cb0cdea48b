import { ApiProperty } from '@nestjs/swagger';

export const IMPORT_STATUSES = ['none', 'scheduled', 'started', 'finished', 'failed'] as const;

export type ImportStatus = (typeof IMPORT_STATUSES)[number];

/** The status of the import of a project. */
export class ImportView {
  /** Of the project. */
  id!: number;
  @ApiProperty({ enum: IMPORT_STATUSES })
  import_status!: ImportStatus;
  /** Why it failed; null unless it has. */
  import_error!: string | null;
}
