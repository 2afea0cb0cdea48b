import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { INestApplicationContext } from '@nestjs/common';
import { findRepositories, type FoundRepository } from '../../git/index.js';
import type { Visibility } from '../../modules/authorization/index.js';
import { GroupsService, NamespacesRepository } from '../../modules/groups/index.js';
import { namesOf, OperatorImportsService } from '../../modules/projects/index.js';
import { type User, UsersRepository } from '../../modules/users/index.js';
import type { Config } from '../../platform/config/index.js';
import { requireAdministrator } from '../administrator.js';
import { CommandError, UsageError } from '../errors.js';
import type { Terminal } from '../terminal.js';
import { findCreator } from './find-creator.js';
import { refusalText } from './refusal-text.js';
import type { RepositoryResult } from './repositories-report.js';

export interface RepositoriesImporterOptions {
  owner?: string;
  group?: string;
  visibility?: Visibility;
  dryRun?: boolean;
}

/** Where a repository goes. */
interface Target {
  /** Of a namespace that may not be there. */
  readonly namespacePath: string;
  readonly name: string;
  readonly path: string;
}

/** Makes a project of each repository below a directory, as GitLab's `gitlab:import:repos` does. */
export class RepositoriesImporter {
  private readonly imports: OperatorImportsService;
  private readonly groups: GroupsService;
  private readonly namespaces: NamespacesRepository;
  private readonly users: UsersRepository;

  constructor(
    app: INestApplicationContext,
    private readonly config: Config,
    private readonly options: RepositoriesImporterOptions,
    private readonly terminal: Terminal,
  ) {
    this.imports = app.get(OperatorImportsService);
    this.groups = app.get(GroupsService);
    this.namespaces = app.get(NamespacesRepository);
    this.users = app.get(UsersRepository);
  }

  /** @throws CommandError if there is no such user or no administrator */
  async importDirectory(directory: string): Promise<RepositoryResult[]> {
    const root = await this.resolve(directory);
    const owner = await this.findOwner();
    const administrator = owner ?? (await requireAdministrator(this.users));
    const found = await findRepositories(root);
    const results: RepositoryResult[] = [];
    await this.terminal.progress('Importing repositories', found.length, async (advance) => {
      for (const repository of found) {
        results.push(await this.importOne(repository, owner, administrator));
        advance();
      }
    });
    return results;
  }

  /** @throws UsageError for a directory that shares files with this service */
  private async resolve(directory: string): Promise<string> {
    const root = await realpath(directory);
    for (const own of [this.config.dataDir, ...this.config.storages.values()]) {
      const real = await realpath(own).catch(() => own);
      if (contains(root, real) || contains(real, root)) {
        throw new UsageError(`${directory} has the files of this service`);
      }
    }
    return root;
  }

  private async findOwner(): Promise<User | null> {
    const { owner } = this.options;
    if (owner === undefined) return null;
    const user = await this.users.findByUsername(owner);
    if (user === null) throw new CommandError(`There is no user ${owner}.`);
    return user;
  }

  private async importOne(
    repository: FoundRepository,
    owner: User | null,
    administrator: User,
  ): Promise<RepositoryResult> {
    const source = repository.path;
    const skip = (reason: string, project: string | null = null): RepositoryResult => {
      return { source, project, result: 'skipped', reason };
    };
    if (repository.refusal !== null) return skip(repository.refusal);
    const target = this.targetOf(source, owner);
    if (typeof target === 'string') return skip(target);
    const project = `${target.namespacePath}/${target.path}`;
    try {
      return { source, project, ...(await this.take(repository, target, administrator)) };
    } catch (error) {
      const reason = refusalText(error);
      if (reason === null) throw error;
      return skip(reason, project);
    }
  }

  /** @returns why there can be no project, or where it goes */
  private targetOf(source: string, owner: User | null): Target | string {
    const parts = source.split(path.sep);
    const last = (parts.pop() ?? '').replace(/\.git$/, '');
    if (last.endsWith('.wiki')) return 'is a wiki, which projects do not have here';
    const namespacePath =
      owner?.username ?? this.options.group ?? namesOf(parts.shift() ?? '')?.path;
    if (namespacePath === undefined) {
      return 'lies in no folder that could become a group: see --owner and --group';
    }
    const names = namesOf([...parts, last].join('-'));
    return names === null ? 'has no name that a project may have' : { namespacePath, ...names };
  }

  /** @throws DomainError */
  private async take(
    { folder }: FoundRepository,
    target: Target,
    administrator: User,
  ): Promise<Pick<RepositoryResult, 'result' | 'reason'>> {
    const { namespacePath, name, path: projectPath } = target;
    const { dryRun = false, visibility } = this.options;
    const found = await this.namespaces.findByPath(namespacePath);
    if (found === null && dryRun) return { result: 'imported', reason: null };
    const namespace =
      found ??
      (await this.groups.create(administrator, {
        name: namespacePath,
        path: namespacePath,
        ...(visibility === undefined ? {} : { visibility }),
      }));
    const source = { address: pathToFileURL(folder).href, repository: { folder } };
    const input = { namespaceId: namespace.id, name, path: projectPath, visibility };
    const { project, presence } = await this.imports.find(input, source.address);
    if (presence === 'finished') return { result: 'present', reason: null };
    if (presence === 'foreign') {
      return { result: 'skipped', reason: 'there is another project of that name' };
    }
    if (dryRun) return { result: 'imported', reason: null };
    const creator = await findCreator(this.users, namespace, administrator);
    const failure = await this.imports.fill(
      project ?? (await this.imports.create(creator, { ...input, switches: {} }, source)),
      source,
    );
    return { result: failure === null ? 'imported' : 'failed', reason: failure };
  }
}

const contains = (folder: string, other: string): boolean =>
  folder === other || other.startsWith(folder + path.sep);
