import { listActiveProjects } from '../../modules/projects/model/maintained-projects.query.js';
import {
  findUnreachable,
  type UnreachableRepository,
} from '../../modules/storage/repositories/unreachable-repositories.js';
import type { Config } from '../../platform/config/index.js';
import { withReads } from '../probes/database.js';
import { withinLimit } from '../probes/time-limit.js';

/** As many as `trellis doctor` looks into. */
export const MOST_PROJECTS = 200;

/** Looks at the folders of the repositories of the projects with the newest activity. */
export async function checkRepositories(
  { storages }: Config,
  databaseUrl: string,
): Promise<UnreachableRepository[]> {
  const projects = await withReads(databaseUrl, (statements) =>
    listActiveProjects(statements, MOST_PROJECTS),
  );
  return withinLimit(findUnreachable(projects, storages));
}
