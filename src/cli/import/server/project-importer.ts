import type { INestApplicationContext } from '@nestjs/common';
import {
  type ProjectAccess,
  ProjectAccessRepository,
} from '../../../modules/authorization/index.js';
import { ProjectHooksService } from '../../../modules/hooks/index.js';
import {
  LabelsRepository,
  LabelsService,
  MilestonesRepository,
  scopeOf,
  NotesRepository,
} from '../../../modules/issuables/index.js';
import { PROJECT_LEVELS } from '../../../modules/memberships/index.js';
import {
  DeployKeysService,
  type Project,
  ProjectsRepository,
  ProjectsService,
} from '../../../modules/projects/index.js';
import { ProtectedBranchesService } from '../../../modules/repository/index.js';
import { CommandError } from '../../errors.js';
import { refusalText } from '../refusal-text.js';
import { addMember } from './add-member.js';
import { IssuableImporter } from './issuable-importer.js';
import {
  type ProjectImporterContext,
  ProjectRecords,
  type RemoteProject,
} from './project-records.js';
import type { UserFinder } from './user-finder.js';

/** Levels of members of projects; an owner of a personal project there is a master here. */
const MASTER = 40;

/** Takes over what a project has besides its repository. A repetition after any interruption adds what is missing. */
export class ProjectImporter {
  private readonly app: INestApplicationContext;
  private readonly users: UserFinder;
  private readonly records: ProjectRecords;

  constructor(
    private readonly context: ProjectImporterContext,
    private readonly remote: RemoteProject,
    private readonly project: Project,
  ) {
    this.app = context.app;
    this.users = context.users;
    this.records = new ProjectRecords(context.server, context.report, remote);
  }

  /** @param hasRepository without it merge requests would show no changes, and wait for a repetition */
  async import(hasRepository: boolean): Promise<void> {
    await this.importMembers();
    await this.importLabels();
    await this.importMilestones();
    const { context, records, project } = this;
    const scope = scopeOf({ access: await this.access() });
    const milestones = await this.app.get(MilestonesRepository).idsByTitle(scope);
    const issuables = new IssuableImporter(context, records, project, milestones);
    await issuables.importIssues();
    if (hasRepository) {
      await issuables.importMergeRequests();
      await this.importProtectedBranches();
    }
    this.records.count('notes', await this.app.get(NotesRepository).countIn(project.id));
    await this.importDeployKeys();
    await this.importHooks();
    await this.applySettings(hasRepository);
  }

  private importMembers(): Promise<void> {
    return this.records.each('members', '/members', async (record) => {
      const user = await this.users.find(record);
      if (user === null) return;
      const accessLevel = Math.min(record.level('access_level', 0), MASTER);
      if (!PROJECT_LEVELS.includes(accessLevel)) return;
      const terms = { accessLevel, expiresAt: record.optionalDay('expires_at') };
      const added = { userId: user.id, user, ...terms };
      await addMember(this.app, { projectId: this.project.id }, added);
      this.records.count('members');
    });
  }

  private async importLabels(): Promise<void> {
    const access = await this.access();
    const editor = { place: { access }, reader: this.users.importer, counts: false };
    const scope = scopeOf(editor.place);
    await this.records.each('labels', '/labels', async (record) => {
      const name = record.line('name');
      const labels = this.app.get(LabelsRepository);
      this.records.count('labels');
      if ((await labels.findByName(scope, name)) !== null) return;
      await this.app.get(LabelsService).create(editor, {
        name,
        color: record.line('color'),
        description: record.optionalText('description', 2000),
        priority: record.optionalLevel('priority'),
      });
    });
  }

  private importMilestones(): Promise<void> {
    return this.records.eachOldestFirst('milestones', '/milestones', async (record) => {
      const createdAt = record.time('created_at');
      await this.app.get(MilestonesRepository).insertImported(this.project.id, {
        iid: record.iid(),
        title: record.line('title'),
        description: record.optionalText('description'),
        state: record.oneOf('state', ['active', 'closed'] as const),
        dueDate: record.optionalDay('due_date'),
        startDate: record.optionalDay('start_date'),
        createdAt,
        updatedAt: record.timeOr('updated_at', createdAt),
      });
      this.records.count('milestones');
    });
  }

  private async importProtectedBranches(): Promise<void> {
    const service = this.app.get(ProtectedBranchesService);
    const { project } = await this.access();
    await this.records.each('protected branches', '/repository/branches', async (record) => {
      const name = record.line('name');
      if (record.boolean('protected', false)) {
        await service.protect(project, name, {
          developersCanPush: record.boolean('developers_can_push', false),
          developersCanMerge: record.boolean('developers_can_merge', false),
        });
        this.records.count('protected branches');
      } else if (name === project.defaultBranch) {
        // The import of the repository has protected it, as the settings of this server say.
        await service.unprotect(project, name);
      }
    });
  }

  private importDeployKeys(): Promise<void> {
    return this.records.each('deploy keys', '/keys', async (record) => {
      const input = { title: record.line('title'), key: record.line('key', 16_384) };
      await this.app.get(DeployKeysService).add(this.users.importer, this.project.id, input);
      this.records.count('deploy keys');
    });
  }

  private importHooks(): Promise<void> {
    return this.records.eachOldestFirst('hooks', '/hooks', async (record) => {
      const url = record.line('url', 2_048);
      const flag = (name: string): boolean => record.boolean(name, false);
      const isNew = await this.app.get(ProjectHooksService).createImported(this.project.id, {
        url,
        pushEvents: flag('push_events'),
        tagPushEvents: flag('tag_push_events'),
        issuesEvents: flag('issues_events'),
        noteEvents: flag('note_events'),
        mergeRequestsEvents: flag('merge_requests_events'),
        buildEvents: flag('build_events'),
        pipelineEvents: flag('pipeline_events'),
        wikiPageEvents: flag('wiki_page_events'),
        enableSslVerification: record.boolean('enable_ssl_verification', true),
      });
      this.records.count('hooks');
      if (!isNew) return;
      this.records.problem(
        `hook ${withoutSecrets(url)}`,
        'is disabled until it is saved, with its token if it has one',
      );
    });
  }

  /** Opens the project to its users: until now it is private, without issues and merge requests. */
  private async applySettings(hasMergeRequests: boolean): Promise<void> {
    const { record } = this.remote;
    const { importer } = this.users;
    const service = this.app.get(ProjectsService);
    const switches = {
      issuesEnabled: record.boolean('issues_enabled', true),
      mergeRequestsEnabled: hasMergeRequests && record.boolean('merge_requests_enabled', true),
    };
    await service.update(importer, await this.access(), { switches });
    try {
      const visibility = record.visibility();
      await service.update(importer, await this.access(), { visibility, switches: {} });
    } catch (error) {
      const reason = refusalText(error);
      if (reason === null) throw error;
      this.records.problem('', `stays private: ${reason}`);
    }
    const createdAt = record.timeOr('created_at', this.project.createdAt);
    const lastActivityAt = record.timeOr('last_activity_at', createdAt);
    await this.app.get(ProjectsRepository).update(this.project.id, { createdAt, lastActivityAt });
    if (record.boolean('archived', false)) {
      await service.setArchived(importer, (await this.access()).project, true);
    }
  }

  private async access(): Promise<ProjectAccess> {
    const { id } = this.project;
    const found = await this.app.get(ProjectAccessRepository).find(this.users.importer, { id });
    if (found === null) throw new CommandError(`${this.remote.path} was deleted meanwhile.`);
    return found;
  }
}

function withoutSecrets(text: string): string {
  if (!URL.canParse(text)) return 'without a valid address';
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname}`;
}
