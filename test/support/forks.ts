import type { Test } from 'supertest';
import { CopyRepositoryJob } from '../../src/modules/projects/lifecycle/forks/copy-repository.job.js';
import { ProjectStorage } from '../../src/modules/storage/index.js';
import { PurgeProjectJob } from '../../src/modules/projects/lifecycle/deletion/purge-project.job.js';
import type { MadeProject, Person } from './factories.js';
import type { Trellis } from './trellis.js';

const RUN = { jobId: '1', attempt: 1, signal: new AbortController().signal };

/** Makes forks and looks at them; jobs run when a test says so. */
export class Forks {
  constructor(private readonly trellis: Trellis) {}

  ask(person: Person, source: { id: number | string }, body: object = {}): Test {
    return this.trellis.as(person).post(`/projects/fork/${String(source.id)}`, body);
  }

  async make(person: Person, source: { id: number }, body: object = {}): Promise<MadeProject> {
    return madeProject((await this.ask(person, source, body).expect(200)).body);
  }

  /** The job that fills a fork. */
  copy(fork: { id: number }, source: { id: number }): Promise<void> {
    const payload = { projectId: fork.id, sourceId: source.id };
    return this.trellis.app.get(CopyRepositoryJob).handle(payload, RUN);
  }

  /** The job that removes what a deleted project leaves. */
  purge({ id: projectId }: { id: number }): Promise<void> {
    return this.trellis.app.get(PurgeProjectJob).handle({ projectId, storage: 'default' }, RUN);
  }

  async row({ id }: { id: number }): Promise<Record<string, unknown>> {
    const [row] = await this.trellis.rows('SELECT * FROM projects WHERE id = $1', [id]);
    return row as Record<string, unknown>;
  }

  async countOf(source: { id: number }): Promise<unknown> {
    return (await this.row(source))['forks_count'];
  }

  folderOf({ id }: { id: number }): string {
    return this.trellis.app.get(ProjectStorage).path({ id, storage: 'default' });
  }
}

/** What tests need to know of a project that was answered. */
export function madeProject(body: unknown): MadeProject {
  const { id, path, path_with_namespace: fullPath } = body as Record<string, unknown>;
  return { id: Number(id), path: String(path), fullPath: String(fullPath) };
}
