import { V4UserBasicView } from '../../../users/v4/index.js';

/** A status of a commit. */
export class V4CommitStatusView {
  id!: number;
  sha!: string;
  ref!: string;
  /** `pending`, `running`, `success`, `failed`, `canceled` or `skipped`. */
  status!: string;
  name!: string;
  target_url!: string | null;
  description!: string | null;
  created_at!: Date;
  started_at!: Date | null;
  finished_at!: Date | null;
  allow_failure!: boolean;
  /** Percent; null where none was reported. */
  coverage!: number | null;
  /** The statuses of the commit on the ref have one pipeline, whose id is that of the first of them. */
  pipeline_id!: number;
  author!: V4UserBasicView;
}
