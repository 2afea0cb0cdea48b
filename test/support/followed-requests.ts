import { MergeRequestVersions } from '../../src/modules/merge-requests/versions/merge-request-versions.js';
import { StillBranches } from '../../src/modules/repository/index.js';
import type { MadeProject, Person } from './factories.js';
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

  /** Answers the ID. */
  async open({ source, target = source, from, to = 'master' }: Between): Promise<number> {
    const { app } = this.trellis;
    return app.get(StillBranches).run([source.id, target.id], async () => {
      const [row] = await this.trellis.rows<{ id: number; iid: number }>(INSERT, [
        ...[target.id, source.id, from, to, this.author.user.id],
      ]);
      const { id, iid } = row!;
      const branches = { sourceBranch: from, targetBranch: to };
      const ids = { id, iid, projectId: target.id, sourceProjectId: source.id };
      await app.get(MergeRequestVersions).record({ ...ids, ...branches });
      return id;
    });
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
  async notes(id: number): Promise<string[]> {
    const rows = await this.trellis.rows<{ body: string }>(
      `SELECT body FROM notes
        WHERE noteable_type = 'MergeRequest' AND noteable_id = $1 AND system ORDER BY id`,
      [id],
    );
    return rows.map(({ body }) => body);
  }
}

const INSERT = `
  INSERT INTO merge_requests
    (iid, project_id, source_project_id, source_branch, target_branch, author_id, title)
  SELECT (SELECT coalesce(max(iid), 0) + 1 FROM merge_requests WHERE project_id = $1),
         $1, $2, $3, $4, $5, 'A merge request'
  RETURNING id, iid`;
