import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Response } from 'supertest';
import { folderSize } from '../../src/git/index.js';
import { ProjectStorage } from '../../src/modules/storage/index.js';
import { ProjectMeasurement } from '../../src/modules/storage/quota/project-measurement.js';
import { UploadStorage } from '../../src/modules/storage/upload-storage.js';
import { TidyRepositoryJob } from '../../src/modules/repository/housekeeping/tidy-repository.job.js';
import { dataCommand, git } from '../unit/git/support/workshop.js';
import type { Checkout } from './checkout.js';
import type { MadeProject, Person } from './factories.js';
import type { Trellis } from './trellis.js';

const RUN = { jobId: '1', attempt: 1, signal: new AbortController().signal };

/** What projects take on the disk and are counted as, and the jobs that bring the two together. */
export class StoredSizes {
  constructor(private readonly trellis: Trellis) {}

  repositoryFolder({ id }: { id: number }): string {
    return this.trellis.app.get(ProjectStorage).path({ id, storage: 'default' });
  }

  async onDisk(project: { id: number }): Promise<number> {
    const uploads = await this.trellis.app.get(UploadStorage).size(project.id);
    return uploads + (await folderSize(this.repositoryFolder(project)));
  }

  /** Null for a project that is not counted. */
  async counted({ id }: { id: number }): Promise<{ used: number; reserved: number } | null> {
    const [row] = await this.trellis.rows<{ used: string; reserved: string }>(
      `SELECT repository_bytes + uploads_bytes AS used, reserved_bytes AS reserved
         FROM project_sizes WHERE project_id = $1`,
      [id],
    );
    return row === undefined ? null : { used: Number(row.used), reserved: Number(row.reserved) };
  }

  upload(person: Person, { id }: { id: number }, bytes: number): Promise<Response> {
    return this.trellis
      .as(person)
      .call('post', `/projects/${String(id)}/uploads`)
      .attach('file', randomBytes(bytes), { filename: 'file.bin' });
  }

  housekeeping({ id: projectId }: { id: number }): Promise<void> {
    return this.trellis.app.get(TidyRepositoryJob).handle({ projectId, storage: 'default' }, RUN);
  }

  settleReservations(): Promise<void> {
    return this.trellis.app.get(ProjectMeasurement).handle({}, RUN);
  }
}

/** Commits a file of random bytes to a branch of its own, on top of another commit; answers the commit. */
export async function commitRandom(
  work: Checkout,
  { branch, onto, bytes }: { branch: string; onto: string; bytes: number },
): Promise<string> {
  const head = [
    `commit refs/heads/${branch}`,
    'mark :1',
    'committer Ada <ada@example.com> now',
    dataCommand(branch),
    `from ${onto}`,
    `M 100644 inline ${branch}.bin`,
    `data ${String(bytes)}\n`,
  ].join('\n');
  const input = Buffer.concat([
    Buffer.from(head),
    randomBytes(bytes),
    Buffer.from('\nget-mark :1\n'),
  ]);
  return git(['fast-import', '--quiet', '--date-format=now'], { cwd: work.folder, input });
}

/** Adds an object to a repository behind the service's back: as an older version would have. */
export async function growRepository(
  sizes: StoredSizes,
  project: MadeProject,
  bytes: number,
): Promise<void> {
  const file = path.join(sizes.repositoryFolder(project), 'objects', 'pack', 'tmp_pack_of_a_test');
  await writeFile(file, randomBytes(bytes));
}
