import type { MadeProject, Person } from './factories.js';
import { openMergeRequest, systemNotes } from './merge-requests.js';
import type { Trellis } from './trellis.js';

export interface FollowedRow {
  id: number;
  state: string;
  merge_status: string;
  head_sha: string | null;
  checked_target_sha: string | null;
  merge_commit_sha: string | null;
  merge_when_build_succeeds: boolean;
  merge_user_id: number | null;
  merge_commit_message: string | null;
  should_remove_source_branch: boolean;
  updated_at: Date;
}

export interface VersionRow {
  id: number;
  base: string | null;
  start: string;
  head: string;
  state: string;
  size: string | null;
}

export interface Between {
  source: MadeProject;
  target?: MadeProject;
  from: string;
  to?: string;
}

/** Opens merge requests and looks at what became of them. */
export class FollowedRequests {
  constructor(
    private readonly trellis: Trellis,
    private readonly author: Person,
  ) {}

  /** Through the API; answers the ID. */
  async open({ source, target = source, from, to = 'master' }: Between): Promise<number> {
    const { id } = await openMergeRequest(this.trellis, this.author, source, {
      source_branch: from,
      target_branch: to,
      target_project_id: target.id,
    });
    return id;
  }

  async row(id: number): Promise<FollowedRow> {
    const [row] = await this.trellis.rows<FollowedRow>(
      'SELECT * FROM merge_requests WHERE id = $1',
      [id],
    );
    return row!;
  }

  /** The oldest first. */
  versions(id: number): Promise<VersionRow[]> {
    return this.trellis.rows(
      `SELECT id, base_commit_sha AS base, start_commit_sha AS start, head_commit_sha AS head, state,
              real_size AS size
         FROM merge_request_versions WHERE merge_request_id = $1 ORDER BY id`,
      [id],
    );
  }

  /** What the service noted, the oldest first. */
  notes(id: number): Promise<string[]> {
    return systemNotes(this.trellis, { id });
  }
}
