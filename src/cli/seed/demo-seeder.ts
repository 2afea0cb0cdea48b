import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { Git } from '../../git/index.js';
import { type ProjectAccess, ProjectAccessRepository } from '../../modules/authorization/index.js';
import { GroupsService, type Namespace, NamespacesRepository } from '../../modules/groups/index.js';
import {
  IssuableKinds,
  type IssuableType,
  LabelsService,
  MilestonesService,
  NotesService,
} from '../../modules/issuables/index.js';
import { IssuesService } from '../../modules/issues/index.js';
import { GroupMembersService } from '../../modules/memberships/index.js';
import { AcceptService, MergeRequestsService } from '../../modules/merge-requests/index.js';
import { OperatorImportsService } from '../../modules/projects/index.js';
import { CommitStatusesService } from '../../modules/repository/index.js';
import { type User, UsersRepository, UsersService } from '../../modules/users/index.js';
import { Config } from '../../platform/config/index.js';
import { randomToken } from '../../platform/secrets/index.js';
import { requireAdministrator } from '../administrator.js';
import { CommandError } from '../errors.js';
import type { Terminal } from '../terminal.js';
import { DEMO_BRANCHES, demoHistory, demoSubject } from './demo-history.js';
import {
  DEMO_ISSUES,
  DEMO_LABELS,
  DEMO_NOTES,
  DEMO_PROJECTS,
  DEMO_USERS,
  type DemoSize,
  type DemoUser,
} from './demo-texts.js';

type DemoProject = (typeof DEMO_PROJECTS)[number];

type DemoUsers = ReadonlyMap<DemoUser, User>;

/** A demo project, as a user of it sees it. */
interface DemoTarget {
  readonly as: (username: DemoUser) => Promise<{ user: User; access: ProjectAccess }>;
  readonly projectId: number;
}

/** How to sign in as `demo-owner`. */
export interface DemoCredentials {
  readonly password: string;
  readonly token: string;
}

export interface DemoReport {
  /** Null if the account was there before. */
  readonly credentials: DemoCredentials | null;
  /** Paths of the projects that were made. */
  readonly projects: readonly string[];
}

/**
 * Makes demo data for a first look, through the services that requests use. The same size always gives the same
 * data. Accounts, groups and projects that are there already are left as they are.
 */
export class DemoSeeder {
  private readonly credentials: DemoCredentials = {
    password: randomToken(),
    token: randomToken(),
  };

  constructor(
    private readonly app: INestApplicationContext,
    private readonly size: DemoSize,
    private readonly terminal: Terminal,
  ) {}

  async create(): Promise<DemoReport> {
    const administrator = await requireAdministrator(this.app.get(UsersRepository));
    const owner = await this.app.get(UsersRepository).findByUsername('demo-owner');
    const users = await this.createUsers();
    const made: string[] = [];
    await this.terminal.progress('Making demo data', DEMO_PROJECTS.length, async (advance) => {
      for (const project of DEMO_PROJECTS) {
        const group = await this.findOrCreateGroup(project.group, administrator, users);
        const projectId = await this.createProject(project, group, users);
        if (projectId !== null) {
          await this.fillProject(this.targetOf(projectId, users));
          made.push(`${project.group}/${project.path}`);
        }
        advance();
      }
    });
    return { credentials: owner === null ? this.credentials : null, projects: made };
  }

  private async createUsers(): Promise<DemoUsers> {
    const users = new Map<DemoUser, User>();
    for (const [username] of DEMO_USERS) {
      const found = await this.app.get(UsersRepository).findByUsername(username);
      const name = username.replace('demo-', 'Demo ');
      const { password, token: privateToken } = this.credentials;
      const created = {
        username,
        name,
        email: `${username}@example.com`,
        password: randomToken(),
        ...(username === 'demo-owner' ? { password, privateToken } : {}),
      };
      users.set(username, found ?? (await this.app.get(UsersService).create(created)));
    }
    return users;
  }

  private async findOrCreateGroup(
    path: string,
    administrator: User,
    users: DemoUsers,
  ): Promise<Namespace> {
    const found = await this.app.get(NamespacesRepository).findByPath(path);
    if (found !== null) return found;
    const description = 'Made by trellis seed';
    const group = await this.app
      .get(GroupsService)
      .create(administrator, { name: path, path, description });
    for (const [username, accessLevel] of DEMO_USERS) {
      const userId = userOf(users, username).id;
      const membership = { userId, accessLevel, expiresAt: null };
      await this.app.get(GroupMembersService).add(group, membership);
    }
    return group;
  }

  /** @returns null if there is a project of that name */
  private async createProject(
    { path: name, title, parts }: DemoProject,
    group: Namespace,
    users: DemoUsers,
  ): Promise<number | null> {
    const imports = this.app.get(OperatorImportsService);
    const git = this.app.get(Git);
    const folder = path.join(this.app.get(Config).dataDir, 'run', `seed-${randomToken()}.git`);
    const source = { address: `demo:${group.path}/${name}`, repository: { folder } };
    const input = { namespaceId: group.id, name, path: name, switches: {} };
    const { project, presence } = await imports.find(input, source.address);
    if (presence === 'finished' || presence === 'foreign') return null;
    await mkdir(path.dirname(folder), { recursive: true });
    try {
      await git.createRepository(folder);
      const history = demoHistory({ title, parts, commits: this.size.commits });
      await git.repository(folder).importStream(history);
      const made = project ?? (await imports.create(userOf(users, 'demo-owner'), input, source));
      const failure = await imports.fill(made, source);
      if (failure !== null) throw new CommandError(`${group.path}/${name}: ${failure}`);
      return made.id;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  private targetOf(projectId: number, users: DemoUsers): DemoTarget {
    const as = async (username: DemoUser) => {
      const user = userOf(users, username);
      const access = await this.app.get(ProjectAccessRepository).find(user, { id: projectId });
      if (access === null) throw new CommandError('A demo project was deleted meanwhile.');
      return { user, access };
    };
    return { as, projectId };
  }

  private async fillProject(target: DemoTarget): Promise<void> {
    const { user, access } = await target.as('demo-master');
    for (const [name, color, description] of DEMO_LABELS) {
      const label = { name, color, description, priority: null };
      await this.app
        .get(LabelsService)
        .create({ place: { access }, reader: user, counts: false }, label);
    }
    const milestones = await this.createMilestones(target, user);
    for (let index = 0; index < this.size.issues; index += 1) {
      await this.createIssue(target, index, milestones);
    }
    await this.createMergeRequests(target);
  }

  /** @returns the IDs of a closed and of an active one */
  private async createMilestones({ projectId }: DemoTarget, { id }: User): Promise<number[]> {
    const milestones = this.app.get(MilestonesService);
    const editor = { owner: { projectId }, userId: id };
    const texts = { description: null, startDate: null, dueDate: null };
    const closed = await milestones.create(editor, { ...texts, title: '1.0' });
    await milestones.update(editor, closed.id, { state: 'closed' });
    return [closed.id, (await milestones.create(editor, { ...texts, title: '1.1' })).id];
  }

  /** Every third is closed and belongs to the closed milestone; others have an assignee and notes in turn. */
  private async createIssue(
    target: DemoTarget,
    index: number,
    [closed, active]: readonly number[],
  ): Promise<void> {
    const [title, label] = DEMO_ISSUES[index % DEMO_ISSUES.length] ?? DEMO_ISSUES[0];
    const { user, access } = await target.as('demo-developer');
    const isClosed = index % 3 === 2;
    const issues = this.app.get(IssuesService);
    const { issuable } = await issues.create(access, user, {
      title: index < DEMO_ISSUES.length ? title : `${title} (${String(index + 1)})`,
      description: `What was expected, and what happened instead.\n\n- [ ] a test\n- [ ] a fix`,
      labels: [label],
      milestoneId: isClosed ? closed : index % 2 === 0 ? active : null,
      assigneeIds: index % 2 === 0 ? [user.id] : [],
    });
    for (let note = 0; note < index % 4; note += 1) {
      await this.createNote(target, 'Issue', issuable.id, index + note);
    }
    if (isClosed) await issues.update(access, user, issuable.id, { stateEvent: 'close' });
  }

  private async createNote(
    target: DemoTarget,
    type: IssuableType,
    id: number,
    index: number,
  ): Promise<void> {
    const { user, access } = await target.as(index % 2 === 0 ? 'demo-reporter' : 'demo-guest');
    const noteable = (await this.app.get(IssuableKinds).of(type).find([id])).get(id);
    if (noteable === undefined) return;
    const body = DEMO_NOTES[index % DEMO_NOTES.length] ?? '';
    await this.app.get(NotesService).create(access, noteable, user, { body });
  }

  /** One is open and green, one merged, one work in progress with a failed build, one closed. */
  private async createMergeRequests(target: DemoTarget): Promise<void> {
    const mergeRequests = this.app.get(MergeRequestsService);
    const statuses = this.app.get(CommitStatusesService);
    const { user, access } = await target.as('demo-developer');
    const master = await target.as('demo-master');
    for (const [index, sourceBranch] of DEMO_BRANCHES.entries()) {
      const subject = demoSubject(sourceBranch);
      const isDraft = sourceBranch === 'update-colors';
      const { issuable } = await mergeRequests.create(access, user, {
        sourceBranch,
        targetBranch: 'master',
        removeSourceBranch: null,
        title: isDraft ? `WIP: ${subject}` : subject,
        description: `Closes #${String(index + 1)}`,
        assigneeIds: [master.user.id],
      });
      const state = isDraft ? 'failed' : 'success';
      const status = { state, name: 'test', ref: sourceBranch } as const;
      await statuses.post(access.project, sourceBranch, user, status);
      await this.createNote(target, 'MergeRequest', issuable.id, index);
      if (sourceBranch === 'fix-typos') {
        const input = {
          message: null,
          squashMessage: null,
          removeSourceBranch: null,
          whenBuildSucceeds: false,
        };
        await this.app.get(AcceptService).accept(master, issuable.id, input);
      }
      if (sourceBranch === 'try-cache') {
        const { access: now } = master;
        await mergeRequests.update(now, master.user, issuable.id, { stateEvent: 'close' });
      }
    }
  }
}

function userOf(users: DemoUsers, username: DemoUser): User {
  const user = users.get(username);
  if (user === undefined) throw new Error(`${username} was not made`);
  return user;
}
