import { IntegerParam, StringParam } from '../../../platform/http/index.js';

const LONGEST_PATH = 4_096;

/** A line of a difference between two commits, as clients name it. */
export class V4LinePositionDto {
  @StringParam({ required: true })
  base_sha!: string;

  @StringParam({ required: true })
  start_sha!: string;

  @StringParam({ required: true })
  head_sha!: string;

  @StringParam({ maxLength: LONGEST_PATH, blank: 'absent' })
  old_path?: string;

  @StringParam({ maxLength: LONGEST_PATH, blank: 'absent' })
  new_path?: string;

  @IntegerParam({ nullable: true, emptyClears: true })
  old_line?: number | null;

  @IntegerParam({ nullable: true, emptyClears: true })
  new_line?: number | null;
}
