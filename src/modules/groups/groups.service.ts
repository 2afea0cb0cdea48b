import { Injectable } from '@nestjs/common';
import { UnitOfWork, violatedUnique } from '../../platform/database/index.js';
import { forbidden, invalidRecord, notFound } from '../../platform/errors/index.js';
import type { Page, PageRequest } from '../../platform/http/index.js';
import { type GroupRef, Visibility } from '../access/index.js';
import {
  type ApplicationSettings,
  highestUnrestricted,
  isRestricted,
  levelOfSetting,
  SettingsService,
  visibilityName,
} from '../settings/index.js';
import type { User } from '../users/index.js';
import { GroupLifecycle } from './group-lifecycle.js';
import { type FieldErrors, groupErrors } from './group-name.js';
import { type GroupChanges, type GroupFilters, GroupsRepository } from './groups.repository.js';
import type { Namespace } from './namespace.entity.js';
import { NamespacesRepository } from './namespaces.repository.js';

export interface CreateGroupInput extends GroupChanges {
  name: string;
  path: string;
}

/** Unique indexes and what is taken when they are violated. */
const TAKEN: Readonly<Record<string, 'name' | 'path'>> = {
  namespaces_group_name_key: 'name',
  namespaces_path_key: 'path',
};

@Injectable()
export class GroupsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly groups: GroupsRepository,
    private readonly namespaces: NamespacesRepository,
    private readonly settings: SettingsService,
    private readonly lifecycle: GroupLifecycle,
  ) {}

  /** The caller's own groups, or all that are open to them; administrators see every group. */
  list(caller: User, filters: GroupFilters, request: PageRequest): Promise<Page<Namespace>> {
    return this.groups.list(caller, filters, request);
  }

  /** The groups in which the caller has level 50; administrators too see only theirs. */
  listOwned(caller: User, request: PageRequest): Promise<Page<Namespace>> {
    return this.groups.listOwned(caller.id, request);
  }

  /** @throws DomainError not found: it was deleted after the caller's access was looked up */
  async read({ id }: GroupRef): Promise<Namespace> {
    const group = await this.namespaces.findById(id);
    if (group === null) throw notFound('Group');
    return group;
  }

  /**
   * Makes a group that the caller owns.
   * @throws DomainError forbidden, invalid record (open points 4.3, 5.12)
   */
  async create(caller: User, input: CreateGroupInput): Promise<Namespace> {
    if (!caller.admin && !caller.canCreateGroup) throw forbidden();
    const settings = await this.settings.current();
    refuse(groupErrors(input), restriction(caller, input.visibilityLevel, settings));
    const visibilityLevel = input.visibilityLevel ?? defaultLevel(caller, settings);
    return this.unlessTaken(input, () =>
      this.lifecycle.begin({ ...input, visibilityLevel }, caller.id),
    );
  }

  /**
   * Changes what is given; with a new path the addresses of all projects move at once.
   * @throws DomainError not found, invalid record (open points 2.2, 4.3, 5.12)
   */
  update(caller: User, { id }: GroupRef, changes: GroupChanges): Promise<Namespace> {
    return this.unlessTaken({ ...changes, id }, async () => {
      const group = await this.namespaces.lock(id);
      if (group === null) throw notFound('Group');
      const level = changes.visibilityLevel;
      const changed = level === group.visibilityLevel ? undefined : level;
      refuse(
        groupErrors(changes),
        restriction(caller, changed, await this.settings.current()),
        await this.projectsAbove(group, level),
      );
      return this.groups.update(id, changes);
    });
  }

  /** Takes the group and all its projects out of sight; background jobs remove what is left. */
  async delete({ id }: GroupRef): Promise<Namespace> {
    const group = await this.work.run(() => this.lifecycle.end(id));
    if (group === null) throw notFound('Group');
    return group;
  }

  private async projectsAbove(group: Namespace, level: number | undefined): Promise<FieldErrors> {
    if (level === undefined || level >= group.visibilityLevel) return {};
    if (!(await this.groups.holdsMoreVisible(group.id, level))) return {};
    const text = 'is not allowed since there are projects with higher visibility.';
    return { visibility_level: [`${visibilityName(level)} ${text}`] };
  }

  /** A unit of work in which the unique indexes decide who gets a name or path. */
  private async unlessTaken(
    texts: { id?: number; name?: string; path?: string },
    work: () => Promise<Namespace>,
  ): Promise<Namespace> {
    try {
      return await this.work.run(work);
    } catch (error) {
      const field = TAKEN[violatedUnique(error) ?? ''];
      if (field === undefined) throw error;
      // The database tells of one; the caller is to learn of both.
      const taken = new Set([...(await this.groups.taken(texts)), field]);
      const fields = (['name', 'path'] as const).filter((name) => taken.has(name));
      throw invalidRecord(
        Object.fromEntries(fields.map((name) => [name, ['has already been taken']])),
      );
    }
  }
}

/** @throws DomainError invalid record, when any field is wrong */
function refuse(...errors: readonly FieldErrors[]): void {
  const all = Object.fromEntries(errors.flatMap((some) => Object.entries(some)));
  if (Object.keys(all).length > 0) throw invalidRecord(all);
}

/** Says that a level that somebody asks for is not for them to give (open points 09). */
function restriction(
  caller: User,
  level: number | undefined,
  settings: ApplicationSettings,
): FieldErrors {
  if (level === undefined || !isRestricted(level, caller, settings)) return {};
  return {
    visibility_level: [`${visibilityName(level)} has been restricted by your administrator`],
  };
}

/** Open points 4.1 and 09: public unless the settings say otherwise. */
function defaultLevel(caller: User, settings: ApplicationSettings): number {
  const { defaultGroupVisibility: setting } = settings;
  const wanted = setting === null ? Visibility.PUBLIC : levelOfSetting(setting);
  return highestUnrestricted(wanted, caller, settings);
}
