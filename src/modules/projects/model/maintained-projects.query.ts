import type { Statements } from '../../../platform/database/index.js';
import type { Project } from './project.entity.js';

/** A project, for those who look after its repository. */
export type MaintainedProject = Pick<
  Project,
  'id' | 'storage' | 'defaultBranch' | 'initialBranch' | 'repositoryState'
> & { readonly fullPath: string };

/** Selects the projects that are not deleted. */
export const MAINTAINED = `
  SELECT p.id, p.storage, p.default_branch AS "defaultBranch", p.initial_branch AS "initialBranch",
         p.repository_state AS "repositoryState", n.path || '/' || p.path AS "fullPath"
    FROM projects p JOIN namespaces n ON n.id = p.namespace_id
   WHERE p.deleted_at IS NULL`;

/** Lists the projects whose last activity is the newest. */
export const listActiveProjects = (
  statements: Statements,
  limit: number,
): Promise<MaintainedProject[]> =>
  statements.rows<MaintainedProject>(
    `${MAINTAINED} ORDER BY p.last_activity_at DESC, p.id DESC LIMIT $1`,
    [limit],
  );
