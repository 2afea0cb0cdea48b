import type { INestApplicationContext } from '@nestjs/common';
import {
  ProjectsRepository,
  RemoveOrphanedRepositoriesJob,
  UploadsService,
} from '../../modules/projects/index.js';
import { RepositoryCheck } from '../../modules/repository/index.js';
import { reasonOf } from '../probes/time-limit.js';
import { type Check, ok, problem, warning } from './check.js';

/** `trellis fsck` checks all. */
const MOST_PROJECTS = 200;
const MOST_NAMED = 3;

/** Looks at the repositories and uploads of the projects with the newest activity, and for orphaned folders. */
export async function checkContents(app: INestApplicationContext): Promise<Check[]> {
  const repositories = app.get(RepositoryCheck);
  const uploads = app.get(UploadsService);
  const broken: string[] = [];
  const unreadable: string[] = [];
  const projects = await app.get(ProjectsRepository).listActive(MOST_PROJECTS);
  for (const project of projects) {
    if (project.repositoryState === 'ready') {
      const flaws = await repositories
        .checkQuickly(project)
        .catch((error: unknown) => [{ detail: reasonOf(error), state: 'found' }]);
      const found = flaws.filter(({ state }) => state === 'found');
      broken.push(...found.map(({ detail }) => `${project.fullPath}: ${detail}`));
    }
    unreadable.push(...(await uploads.findUnreadable(project.id)));
  }
  const advice = 'run `trellis fsck --all`';
  const scope = `${projects.length} projects looked at`;
  return [
    broken.length === 0
      ? ok('repositories', scope)
      : problem('repositories', summarize(broken), `${advice}, and restore what is lost`),
    unreadable.length === 0
      ? ok('uploads', scope)
      : problem('uploads', summarize(unreadable), 'restore the files, or their account and mode'),
    await checkOrphans(app),
  ];
}

async function checkOrphans(app: INestApplicationContext): Promise<Check> {
  const name = 'orphaned-folders';
  const orphans: string[] = [];
  for await (const { id, storage } of app.get(RemoveOrphanedRepositoriesJob).findOrphans()) {
    orphans.push(`repository ${id} in storage ${storage}`);
  }
  if (orphans.length === 0) return ok(name, 'none');
  const advice =
    'if the database is the right one, a daily job removes them; if it was restored from an older state, save them now';
  return warning(name, summarize(orphans), advice);
}

function summarize(items: readonly string[]): string {
  const rest = items.length - MOST_NAMED;
  const named = items.slice(0, MOST_NAMED).join('; ');
  return rest > 0 ? `${named}; and ${rest} more` : named;
}
