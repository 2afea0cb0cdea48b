import path from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import {
  listActiveProjects,
  type MaintainedProject,
  RemoveOrphanedRepositoriesJob,
} from '../../modules/projects/index.js';
import { RepositoryCheck } from '../../modules/repository/index.js';
import { hashedFolder, repositoryFolder, UploadsService } from '../../modules/storage/index.js';
import { Config } from '../../platform/config/index.js';
import { Database } from '../../platform/database/index.js';
import { findInaccessible } from '../probes/folder.js';
import { reasonOf } from '../probes/time-limit.js';
import { MOST_PROJECTS } from '../status/check-repositories.js';
import { adviceToOwn, type Check, ok, problem, warning } from './check.js';

const MOST_NAMED = 3;

/** Looks at the repositories and uploads of the projects with the newest activity, and for orphaned folders. */
export async function checkContents(app: INestApplicationContext): Promise<Check[]> {
  const { dataDir, storages } = app.get(Config);
  const uploadsRoot = path.join(dataDir, 'uploads');
  const repositories = new Findings(
    'mount the storage if it is not; otherwise run `trellis fsck --all`, and restore what is lost',
  );
  const uploads = new Findings('restore the files');
  const projects = await listActiveProjects(app.get(Database), MOST_PROJECTS);
  for (const project of projects) {
    const root = storages.get(project.storage);
    if (project.repositoryState === 'ready') {
      const flaws = await findFlaws(app, project);
      const folder = root && repositoryFolder(root, project.id);
      await repositories.add(flaws, folder, root);
    }
    const folder = path.join(hashedFolder(uploadsRoot, project.id), String(project.id));
    const unreadable = await app
      .get(UploadsService)
      .findUnreadable(project.id)
      .catch(() => [folder]);
    await uploads.add(unreadable, folder, uploadsRoot);
  }
  const scope = `${projects.length} projects looked at`;
  return [
    repositories.toCheck('repositories', scope),
    uploads.toCheck('uploads', scope),
    await checkOrphans(app),
  ];
}

async function findFlaws(
  app: INestApplicationContext,
  project: MaintainedProject,
): Promise<string[]> {
  const describe = (detail: string): string => `${project.fullPath}: ${detail}`;
  try {
    const flaws = await app.get(RepositoryCheck).checkQuickly(project);
    return flaws.filter(({ state }) => state === 'found').map(({ detail }) => describe(detail));
  } catch (error) {
    return [describe(reasonOf(error))];
  }
}

/** What is wrong with files of projects: they are lost, or inaccessible to the service. */
class Findings {
  private readonly lost: string[] = [];
  private readonly inaccessible: string[] = [];
  private readonly roots = new Set<string>();

  /** @param adviceIfLost what to do about what is lost */
  constructor(private readonly adviceIfLost: string) {}

  /**
   * Adds what is wrong with a folder. If a file in it is inaccessible, all flaws come from that.
   * @param root the folder whose files should all be accessible
   */
  async add(flaws: readonly string[], folder = '', root = ''): Promise<void> {
    const file = flaws.length === 0 ? undefined : await findInaccessible(folder);
    if (file === undefined) this.lost.push(...flaws);
    else {
      this.inaccessible.push(file);
      this.roots.add(root);
    }
  }

  toCheck(name: string, scope: string): Check {
    const details = [...this.inaccessible.map((file) => `${file} may not be read`), ...this.lost];
    if (details.length === 0) return ok(name, scope);
    const advice = [...this.roots].map(adviceToOwn);
    if (this.lost.length > 0) advice.push(this.adviceIfLost);
    return problem(name, summarize(details), advice.join('; '));
  }
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
