import type { INestApplicationContext } from '@nestjs/common';
import { type MaintainedProject, ProjectsRepository } from '../../modules/projects/index.js';
import { CommandError, UsageError } from '../errors.js';

/** Projects that one statement lists. */
const BATCH = 500;

/** The projects that a command was called for. */
export interface Selection {
  readonly count: number;
  readonly projects: AsyncIterable<MaintainedProject> | readonly MaintainedProject[];
}

/** @throws UsageError unless there are either names or `all`, which is never the default of something that lasts */
export function requireSelection(names: readonly string[], all: boolean): void {
  if (all === names.length > 0) {
    throw new UsageError('name projects by path or id, or add --all');
  }
}

/**
 * Finds the named projects, or all.
 * @throws CommandError for a name without a project
 */
export async function selectProjects(
  app: INestApplicationContext,
  names: readonly string[],
): Promise<Selection> {
  const repository = app.get(ProjectsRepository);
  if (names.length === 0) {
    return { count: await repository.countMaintained(), projects: allProjects(repository) };
  }
  const named: MaintainedProject[] = [];
  for (const name of names) {
    const project = await repository.findMaintained(name);
    if (project === null) throw new CommandError(`There is no project ${name}.`);
    named.push(project);
  }
  return { count: named.length, projects: named };
}

async function* allProjects(repository: ProjectsRepository): AsyncGenerator<MaintainedProject> {
  for (let after: number | null = 0; after !== null;) {
    const batch: MaintainedProject[] = await repository.listMaintained(after, BATCH);
    yield* batch;
    after = batch.length < BATCH ? null : (batch.at(-1)?.id ?? null);
  }
}
