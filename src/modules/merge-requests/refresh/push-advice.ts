import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { Urls } from '../../../platform/urls/index.js';
import { projectLevels, Visibility } from '../../access/index.js';
import { OnPostReceive, type ReceivedPush } from '../../repository/index.js';
import { isBranch, OPEN } from '../open-requests.sql.js';

/** A pushed branch, and the newest open merge request that comes from it, as far as the pusher may see it. */
interface Advised {
  branch: string;
  /** Namespace and path of the project that was pushed to. */
  fullPath: string;
  /** Of the request, null without one. */
  iid: number | null;
  targetPath: string | null;
}

/**
 * Tells those who push branches where the merge requests are
 * (docs/reference/git.md#what-follows-a-push).
 */
@Injectable()
export class PushAdvice {
  constructor(
    private readonly database: Database,
    private readonly urls: Urls,
  ) {}

  @OnPostReceive()
  async advise(push: ReceivedPush): Promise<string[]> {
    if (!push.printsMessages) return [];
    const { project, userId, branches } = push;
    const names = branches.filter(({ isDefault }) => !isDefault).map(({ name }) => name);
    if (names.length === 0) return [];
    const advised = await this.database.rows<Advised>(ADVISED, [project.id, names, userId]);
    return advised.length === 0 ? [] : ['', ...advised.flatMap((one) => this.lines(one)), ''];
  }

  private lines({ branch, fullPath, iid, targetPath }: Advised): string[] {
    if (iid !== null && targetPath !== null) {
      const url = this.urls.web(...targetPath.split('/'), 'merge_requests', String(iid));
      return [`View merge request for ${branch}:`, `  ${url}`];
    }
    const page = this.urls.web(...fullPath.split('/'), 'merge_requests', 'new');
    const query = new URLSearchParams({ 'merge_request[source_branch]': branch });
    return [`To create a merge request for ${branch}, visit:`, `  ${page}?${query.toString()}`];
  }
}

// Whoever may push to a fork need not see the project that it was forked from.
const SEEN = `(
  m.project_id = p.id OR u.admin
  OR t.visibility_level = ${String(Visibility.PUBLIC)}
  OR t.visibility_level = ${String(Visibility.INTERNAL)} AND NOT u.external
  OR EXISTS (SELECT FROM (${projectLevels('u.id')}) levels WHERE levels.project_id = t.id))`;

// Nothing where merge requests are switched off. In the order of the names as they were given.
const ADVISED = `
  SELECT pushed.branch, n.path || '/' || p.path AS "fullPath", request.iid,
         request.path AS "targetPath"
    FROM projects p
    JOIN namespaces n ON n.id = p.namespace_id
    JOIN users u ON u.id = $3
   CROSS JOIN unnest($2::text[]) WITH ORDINALITY AS pushed (branch, position)
    LEFT JOIN LATERAL (
         SELECT m.iid, tn.path || '/' || t.path AS path
           FROM merge_requests m
           JOIN projects t ON t.id = m.project_id AND t.deleted_at IS NULL
           JOIN namespaces tn ON tn.id = t.namespace_id
          WHERE m.source_project_id = p.id AND ${isBranch('m.source_branch', 'pushed.branch')}
            AND ${OPEN} AND ${SEEN}
          ORDER BY m.id DESC LIMIT 1) request ON true
   WHERE p.id = $1 AND p.merge_requests_enabled
   ORDER BY pushed.position`;
