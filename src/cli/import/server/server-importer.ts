import type { INestApplicationContext } from '@nestjs/common';
import {
  GroupsService,
  type Namespace,
  NamespacesRepository,
} from '../../../modules/groups/index.js';
import { GROUP_LEVELS } from '../../../modules/memberships/index.js';
import {
  ForksRepository,
  OperatorImportsService,
  type OperatorSource,
  type Project,
} from '../../../modules/projects/index.js';
import { type User, UsersRepository } from '../../../modules/users/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { requireAdministrator } from '../../administrator.js';
import { CommandError } from '../../errors.js';
import type { Terminal } from '../../terminal.js';
import { findCreator } from '../find-creator.js';
import { refusalText } from '../refusal-text.js';
import { addMember } from './add-member.js';
import type { ServerImportState } from './import-state.js';
import { UserFinder } from './user-finder.js';
import { ProjectImporter } from './project-importer.js';
import {
  type ProjectImporterContext,
  ProjectRecords,
  type RemoteProject,
} from './project-records.js';
import { MalformedRecordError, type RemoteRecord } from './remote-record.js';
import { type RemoteServer, RemoteServerError, ServerUnreachableError } from './remote-server.js';

export interface ServerImporterOptions {
  /** Paths of groups, taken over with their projects. With neither groups nor projects everything is taken over. */
  readonly groups: readonly string[];
  /** Paths of projects. */
  readonly projects: readonly string[];
  readonly createUsers: boolean;
  /** Whether members and projects are added to groups that this import has not made. */
  readonly existingGroups: boolean;
  readonly dryRun: boolean;
  /** The name of the user who imports; the first administrator if absent. */
  readonly as: string | undefined;
}

/** Namespace and path, which do not lead out of the server's address. Groups within groups came after version 3. */
const PROJECT_PATH = /^(?!\.+\/)[\w.-]+\/(?!\.+$)[\w.-]+$/;

/** A project there and here. */
interface ImportedProject {
  readonly remote: RemoteProject;
  readonly project: Project;
  /** Whether its repository was fetched. */
  readonly hasRepository: boolean;
}

/** The owner of the token, who fetches the repositories. */
interface Credentials {
  readonly user: string;
  readonly password: string;
}

/**
 * Takes over groups and projects of another server that speaks version 3 of the interface. First come all repositories,
 * so that merge requests find the commits of forks, then the contents of one project after the other.
 */
export class ServerImporter {
  private readonly groups = new Map<string, Promise<Namespace | null>>();
  /** The paths of groups that a dry run would make. */
  private readonly planned = new Set<string>();
  private readonly localIds = new Map<number, number>();
  private readonly report;

  private constructor(
    private readonly app: INestApplicationContext,
    private readonly server: RemoteServer,
    private readonly credentials: Credentials,
    private readonly users: UserFinder,
    private readonly options: ServerImporterOptions,
    private readonly state: ServerImportState,
    private readonly terminal: Terminal,
  ) {
    this.report = state.report;
  }

  /** @throws CommandError if the server cannot be read, or there is no such user */
  static async open(
    app: INestApplicationContext,
    server: RemoteServer,
    token: string,
    options: ServerImporterOptions,
    state: ServerImportState,
    terminal: Terminal,
  ): Promise<ServerImporter> {
    const importer = await findImporter(app.get(UsersRepository), options.as);
    const owner = await server.owner();
    const users = new UserFinder(
      app,
      server,
      importer,
      {
        createUsers: options.createUsers,
        dryRun: options.dryRun,
        seesAddresses: owner.boolean('is_admin', false),
      },
      state,
    );
    const credentials = { user: owner.line('username'), password: token };
    return new ServerImporter(app, server, credentials, users, options, state, terminal);
  }

  /** Takes over what the options name. */
  async importAll(): Promise<void> {
    try {
      await this.importGroups();
      const remotes = await this.listProjects();
      const projects = await this.importRepositories(remotes);
      if (!this.options.dryRun) await this.importContents(projects);
    } finally {
      if (!this.options.dryRun) await this.state.save();
    }
  }

  private async importGroups(): Promise<void> {
    const { groups, projects } = this.options;
    for (const path of groups) await this.findOrCreateGroup(path);
    if (groups.length > 0 || projects.length > 0) return;
    for await (const group of this.server.list('/groups')) {
      const path = group.optionalLine('path');
      if (path === null) this.report.problem('groups', 'there is one without a path');
      else await this.findOrCreateGroup(path);
    }
  }

  /** Lists the projects that are to be taken over and are not finished. */
  private async listProjects(): Promise<RemoteProject[]> {
    const found = new Map<number, RemoteProject>();
    const add = (record: RemoteRecord): void => {
      const remote = { id: record.integer('id'), path: record.line('path_with_namespace'), record };
      if (PROJECT_PATH.test(remote.path)) found.set(remote.id, remote);
      else this.report.problem(remote.path, 'is not in a group or in the namespace of a user');
    };
    const { groups, projects } = this.options;
    for (const path of projects) {
      add(await this.server.get(`/projects/${encodeURIComponent(path)}`));
    }
    for (const path of groups) {
      const list = this.server.list(`/groups/${encodeURIComponent(path)}/projects`);
      for await (const record of list) add(record);
    }
    if (groups.length === 0 && projects.length === 0) {
      for await (const record of this.listAll()) add(record);
    }
    return [...found.values()].sort((one, other) => one.id - other.id);
  }

  /** All projects if the owner of the token is an administrator there, else those of which it is a member. */
  private async *listAll(): AsyncGenerator<RemoteRecord> {
    try {
      yield* this.server.list('/projects/all');
    } catch (error) {
      if (!(error instanceof RemoteServerError) || error.status !== 403) throw error;
      yield* this.server.list('/projects');
    }
  }

  private async importRepositories(remotes: readonly RemoteProject[]): Promise<ImportedProject[]> {
    const projects: ImportedProject[] = [];
    const addresses = await this.server.addresses();
    await this.terminal.progress('Importing repositories', remotes.length, async (advance) => {
      for (const remote of remotes) {
        const imported = await this.attempt(remote.path, () =>
          this.importRepository(remote, addresses),
        );
        if (imported !== null) {
          projects.push(imported);
          this.localIds.set(remote.id, imported.project.id);
        }
        advance();
      }
    });
    return projects;
  }

  /** @returns null if it cannot be taken over, or nothing is to be changed */
  private async importRepository(
    remote: RemoteProject,
    pinned: readonly string[],
  ): Promise<ImportedProject | null> {
    const { path, record } = remote;
    if (!this.state.isFinished(path)) this.report.forget(path);
    const namespace = await this.findNamespace(record);
    if (this.options.dryRun) {
      if (namespace !== null || this.wouldBeMade(record)) await this.planProject(remote, namespace);
      return null;
    }
    if (namespace === null) return null;
    const address = this.server.repositoryUrl(path);
    const { credentials } = this;
    const source: OperatorSource = { address, repository: { address, pinned, credentials } };
    const input = projectInput(record, namespace.id);
    const imports = this.app.get(OperatorImportsService);
    const { project: known, presence } = await imports.find(input, address);
    if (presence === 'foreign') {
      this.report.problem(path, 'there is another project of that name');
      return null;
    }
    if (presence === 'absent') await this.state.begin(path);
    if (!this.state.hasBegun(path)) {
      this.report.problem(
        path,
        'is here from another import: the file of its progress goes on with it',
      );
      return null;
    }
    const project = known ?? (await imports.create(await this.creatorIn(namespace), input, source));
    if (!this.state.isFinished(path)) this.report.add(path, 'projects');
    if (presence === 'finished') return { remote, project, hasRepository: true };
    const failure = await imports.fill(project, source);
    if (failure !== null) {
      const consequence = 'its merge requests are left out, until --resume can fetch it';
      this.report.problem(path, `has no repository (${failure}): ${consequence}`);
    }
    return { remote, project, hasRepository: failure === null };
  }

  /** Whether the group or the owner of a project is absent here, and would be made. */
  private wouldBeMade(project: RemoteRecord): boolean {
    const namespace = project.record('namespace');
    const isGroup = namespace.optionalInteger('owner_id') === null;
    return isGroup ? this.planned.has(namespace.line('path')) : this.options.createUsers;
  }

  /**
   * Counts a project that would be taken over, and names what it lacks here: accounts of its members, and of those who have
   * written or are to do its issues and merge requests.
   */
  private async planProject(remote: RemoteProject, namespace: Namespace | null): Promise<void> {
    const { path, record } = remote;
    if (namespace !== null) {
      const imports = this.app.get(OperatorImportsService);
      const input = projectInput(record, namespace.id);
      const { presence } = await imports.find(input, this.server.repositoryUrl(path));
      if (presence !== 'absent') {
        this.report.problem(path, 'there is a project of that name');
        return;
      }
    }
    this.report.add(path, 'projects');
    const records = new ProjectRecords(this.server, this.report, remote);
    const find = async (user: RemoteRecord | null): Promise<void> => {
      if (user !== null) await this.users.find(user);
    };
    await records.each('members', '/members', find);
    for (const [what, list] of [
      ['issues', '/issues'],
      ['merge requests', '/merge_requests'],
    ] as const) {
      const query = { state: 'all' };
      const findPeople = async (one: RemoteRecord): Promise<void> => {
        await find(one.optionalRecord('author'));
        await find(one.optionalRecord('assignee'));
      };
      await records.each(what, list, findPeople, query);
    }
  }

  private async importContents(projects: readonly ImportedProject[]): Promise<void> {
    const { app, server, users, report, localIds } = this;
    const context: ProjectImporterContext = { app, server, users, report, localIds };
    const unfinished = projects.filter(({ remote }) => !this.state.isFinished(remote.path));
    await this.terminal.progress('Importing projects', unfinished.length, async (advance) => {
      for (const { remote, project, hasRepository } of unfinished) {
        const importOne = async (): Promise<void> => {
          await this.relateFork(remote, project);
          await new ProjectImporter(context, remote, project).import(hasRepository);
          if (hasRepository) await this.state.finish(remote.path);
        };
        await this.attempt(remote.path, importOne, 'is not finished, --resume tries again: ');
        advance();
      }
    });
  }

  private async relateFork({ record }: RemoteProject, { id }: Project): Promise<void> {
    const source = record.optionalRecord('forked_from_project');
    const sourceId = source === null ? undefined : this.localIds.get(source.integer('id'));
    if (sourceId === undefined) return;
    const forks = this.app.get(ForksRepository);
    await this.app.get(UnitOfWork).run(async () => {
      if (await forks.lockBoth(id, sourceId)) await forks.insert(id, sourceId);
    });
  }

  /** Finds the namespace of a project here; a group is made if there is none. */
  private async findNamespace(project: RemoteRecord): Promise<Namespace | null> {
    const namespace = project.record('namespace');
    const ownerId = namespace.optionalInteger('owner_id');
    if (ownerId === null) return this.findOrCreateGroup(namespace.line('path'));
    const owner = await this.users.findById(ownerId);
    if (owner !== null) return this.app.get(NamespacesRepository).findPersonal(owner.id);
    if (this.options.dryRun && this.options.createUsers) return null;
    this.report.problem(
      project.line('path_with_namespace'),
      'its owner has no account here (--create-users makes accounts)',
    );
    return null;
  }

  private findOrCreateGroup(path: string): Promise<Namespace | null> {
    const known = this.groups.get(path) ?? this.attempt(path, () => this.importGroup(path));
    this.groups.set(path, known);
    return known;
  }

  /** @returns null if there can be no such group, or nothing is to be changed */
  private async importGroup(path: string): Promise<Namespace | null> {
    const remote = await this.server.get(`/groups/${encodeURIComponent(path)}`);
    const found = await this.app.get(NamespacesRepository).findByPath(path);
    if (found !== null && found.ownerId !== null) {
      this.report.problem(path, 'is the name of a user here');
      return null;
    }
    const isOwn = found === null || this.state.hasBegun(path);
    if (isOwn) this.report.forget(path);
    if (!isOwn && !this.options.existingGroups) {
      this.report.problem(
        path,
        'is a group here, whose members would see what it gets (--existing-groups)',
      );
      return null;
    }
    if (isOwn) this.report.add(path, 'groups');
    const members = this.server.list(`/groups/${encodeURIComponent(path)}/members`);
    if (this.options.dryRun) {
      if (found === null) this.planned.add(path);
      for await (const member of members) await this.users.find(member);
      return found;
    }
    if (found === null) await this.state.begin(path);
    const group = found ?? (await this.createGroup(remote, path));
    for await (const member of members) {
      const user = await this.users.find(member);
      if (user === null) continue;
      const accessLevel = member.level('access_level', 0);
      const terms = { accessLevel, expiresAt: member.optionalDay('expires_at') };
      if (!GROUP_LEVELS.includes(accessLevel)) continue;
      const added = { userId: user.id, user, ...terms };
      const isNew = await addMember(this.app, { groupId: group.id }, added);
      if (isNew || isOwn) this.report.add(path, 'members');
    }
    return group;
  }

  private createGroup(remote: RemoteRecord, path: string): Promise<Namespace> {
    return this.app.get(GroupsService).create(this.users.importer, {
      name: remote.line('name'),
      path,
      description: remote.optionalText('description', 2000) ?? '',
      visibility: remote.visibility(),
      requestAccessEnabled: remote.boolean('request_access_enabled', false),
      lfsEnabled: remote.boolean('lfs_enabled', true),
    });
  }

  private creatorIn(namespace: Namespace): Promise<User> {
    return findCreator(this.app.get(UsersRepository), namespace, this.users.importer);
  }

  /**
   * Reports what is refused, or not as the interface describes, instead of ending the import.
   * @param consequence stands before the reason
   */
  private async attempt<Result>(
    what: string,
    work: () => Promise<Result>,
    consequence = '',
  ): Promise<Result | null> {
    try {
      return await work();
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === null) throw error;
      this.report.problem(what, consequence + reason);
      return null;
    }
  }
}

/** Returns why a group or project is left out; null if the import has to end. */
function reasonOf(error: unknown): string | null {
  if (error instanceof ServerUnreachableError) return null;
  if (error instanceof RemoteServerError) return error.status === 401 ? null : error.message;
  return error instanceof MalformedRecordError ? error.message : refusalText(error);
}

async function findImporter(users: UsersRepository, name: string | undefined): Promise<User> {
  if (name === undefined) return requireAdministrator(users);
  const user = await users.findByUsername(name);
  if (user?.admin !== true) throw new CommandError(`${name} is no administrator.`);
  return user;
}

/** A new project is private, without issues and merge requests, until all of it is there. */
function projectInput(record: RemoteRecord, namespaceId: number) {
  const flag = (name: string, fallback: boolean): boolean => record.boolean(name, fallback);
  const branch = record.optionalLine('default_branch');
  return {
    namespaceId,
    name: record.line('name'),
    path: record.line('path'),
    description: record.optionalText('description', 2000),
    visibility: 'private' as const,
    ...(branch === null ? {} : { initialBranch: branch }),
    switches: {
      issuesEnabled: false,
      mergeRequestsEnabled: false,
      wikiEnabled: flag('wiki_enabled', true),
      buildsEnabled: flag('builds_enabled', true),
      snippetsEnabled: flag('snippets_enabled', false),
      containerRegistryEnabled: flag('container_registry_enabled', true),
      sharedRunnersEnabled: flag('shared_runners_enabled', true),
      publicBuilds: flag('public_builds', true),
      lfsEnabled: flag('lfs_enabled', true),
      requestAccessEnabled: flag('request_access_enabled', false),
      onlyAllowMergeIfBuildSucceeds: flag('only_allow_merge_if_build_succeeds', false),
      onlyAllowMergeIfAllDiscussionsAreResolved: flag(
        'only_allow_merge_if_all_discussions_are_resolved',
        false,
      ),
    },
  };
}
