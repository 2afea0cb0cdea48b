import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Git } from '../git/index.js';
import { Requires } from '../modules/authorization/index.js';
import { listActiveProjects } from '../modules/projects/index.js';
import { findUnreachable } from '../modules/storage/index.js';
import { settlesWithin } from '../platform/async/index.js';
import { describeUnattended, findUnattendedJobs } from '../platform/cluster/index.js';
import { Config } from '../platform/config/index.js';
import { Database } from '../platform/database/index.js';
import { ApiExcludeController, sendJson } from '../platform/http/index.js';
import { describeFileError, WriteProbe } from '../platform/monitoring/index.js';
import { QueueFactory } from '../platform/queue/index.js';

const OK = JSON.stringify({ status: 'ok' });
/** How long database, queue and storages may take to answer. */
const LIMIT_MS = 2_000;
/** The repositories that are looked at, those of the projects with the newest activity. */
const MOST_REPOSITORIES = 10;

/** What `GET /readyz` answers. */
interface Readiness {
  readonly status: 'ok' | 'unavailable';
  /** What keeps the process from serving. */
  readonly failing?: readonly string[];
  /** The storages that fail. */
  readonly storages?: readonly string[];
  /** Why folders fail, by the name of the storage. */
  readonly reasons?: Readonly<Record<string, string>>;
  /** What operators have to mend though the process can serve. */
  readonly warnings?: Readonly<Record<string, string>>;
}

/** For load balancers and container platforms; outside the API (docs/operations.md#health). */
@Controller()
@ApiExcludeController()
export class HealthController {
  /** Shared by requests that come together, since everybody may ask. */
  private checking: Promise<Readiness> | undefined;

  constructor(
    private readonly database: Database,
    private readonly queues: QueueFactory,
    private readonly git: Git,
    private readonly writes: WriteProbe,
    private readonly config: Config,
  ) {}

  /** The process is up. */
  @Get('healthz')
  @Requires('service:describe')
  alive(@Res() response: Response): void {
    sendJson(response, OK);
  }

  /** The process can serve: whatever does not answer is named. */
  @Get('readyz')
  @Requires('service:describe')
  async ready(@Res() response: Response): Promise<void> {
    this.checking ??= this.check().finally(() => (this.checking = undefined));
    const readiness = await this.checking;
    const status = readiness.status === 'ok' ? 200 : 503;
    sendJson(response.status(status), JSON.stringify(readiness));
  }

  private async check(): Promise<Readiness> {
    const { dataDir, storages: roots } = this.config;
    const folders: [string, string][] = [...roots, ['data-dir', dataDir]];
    const [stores, troubles] = await Promise.all([
      this.failingStores(),
      this.findFolderErrors(folders),
    ]);
    const storages = [...roots.keys()].filter((name) => troubles[name] !== undefined);
    const failing = [
      ...stores,
      ...(storages.length > 0 ? ['storage'] : []),
      ...(troubles['data-dir'] === undefined ? [] : ['data-dir']),
    ];
    if (failing.length === 0) {
      const finding = this.findWarnings().catch(() => ({}));
      const warnings = (await settlesWithin(finding, LIMIT_MS)) ? await finding : {};
      return Object.keys(warnings).length === 0 ? { status: 'ok' } : { status: 'ok', warnings };
    }
    return {
      status: 'unavailable',
      failing,
      ...(storages.length > 0 && { storages }),
      ...(Object.keys(troubles).length > 0 && { reasons: troubles }),
    };
  }

  /** Says why folders cannot be read or written, by their names. One that does not answer is not written to. */
  private async findFolderErrors(
    folders: readonly (readonly [name: string, folder: string])[],
  ): Promise<Record<string, string>> {
    const looks = folders.map(([name, folder]) =>
      this.git
        .look(name, () => access(folder, constants.R_OK | constants.W_OK), LIMIT_MS)
        .then(() => undefined, describeFileError),
    );
    const found = await Promise.all(looks);
    const troubles: Record<string, string> = {};
    for (const [index, [name, folder]] of folders.entries()) {
      const trouble = found[index] ?? (await this.writes.findError(folder));
      if (trouble !== undefined) troubles[name] = trouble;
    }
    return troubles;
  }

  private async findWarnings(): Promise<Record<string, string>> {
    const [jobs, projects] = await Promise.all([
      findUnattendedJobs(this.database),
      listActiveProjects(this.database, MOST_REPOSITORIES),
    ]);
    const look = <T>(storage: string, read: () => Promise<T>): Promise<T> =>
      this.git.look(storage, read, LIMIT_MS);
    const unreachable = await findUnreachable(projects, this.config.storages, look);
    const [first] = unreachable;
    return {
      ...(jobs !== null && { jobs: describeUnattended(jobs) }),
      ...(first !== undefined && {
        repositories: `${unreachable.length} of the ${projects.length} used last: ${first.reason}`,
      }),
    };
  }

  private async failingStores(): Promise<string[]> {
    const checks = {
      database: this.database.rows('SELECT 1'),
      queue: this.queues.ping(),
    };
    const answers = await Promise.all(Object.values(checks).map(answersInTime));
    return Object.keys(checks).filter((_, index) => answers[index] === false);
  }
}

async function answersInTime(check: Promise<unknown>): Promise<boolean> {
  const answered = check.then(
    () => true,
    () => false,
  );
  return (await settlesWithin(answered, LIMIT_MS)) && answered;
}
