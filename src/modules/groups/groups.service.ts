import { Injectable } from '@nestjs/common';
import { UnitOfWork, violatedUnique } from '../../platform/database/index.js';
import {
  assertValid,
  type FieldProblems,
  forbidden,
  invalidFields,
  notFound,
  unauthenticated,
} from '../../platform/errors/index.js';
import { DomainEvents } from '../../platform/events/index.js';
import type { Page, PageRequest } from '../../platform/pagination/index.js';
import {
  type GroupRef,
  isMoreVisible,
  type ListReader,
  type Visibility,
  WideLists,
} from '../authorization/index.js';
import { AuditLog, type AuditRecord } from '../audit/index.js';
import {
  type ApplicationSettings,
  highestUnrestricted,
  isRestricted,
  SettingsService,
} from '../settings/index.js';
import type { User } from '../users/index.js';
import { GroupCreated, GroupRemoved } from './group.events.js';
import { groupProblems } from './group.rules.js';
import { type GroupChanges, type GroupFilters, GroupsRepository } from './groups.repository.js';
import type { Namespace } from './namespaces/namespace.entity.js';
import { NamespacesRepository } from './namespaces/namespaces.repository.js';
import { NamespacesService } from './namespaces/namespaces.service.js';

export interface CreateGroupInput extends GroupChanges {
  name: string;
  path: string;
}

/** The unique indexes of groups, with the fields that violate them. */
const TAKEN: Readonly<Record<string, 'name' | 'path'>> = {
  namespaces_group_name_key: 'name',
  namespaces_path_key: 'path',
};

/** Groups. The rules are those of docs/reference/groups.md#rules. */
@Injectable()
export class GroupsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly groups: GroupsRepository,
    private readonly namespaces: NamespacesRepository,
    private readonly namespacesService: NamespacesService,
    private readonly settings: SettingsService,
    private readonly events: DomainEvents,
    private readonly audit: AuditLog,
    private readonly wide: WideLists,
  ) {}

  /**
   * Lists the groups of the caller, or all that the caller may see; for administrators every group, for anonymous callers
   * the public ones.
   */
  list(
    { reader, client }: ListReader,
    filters: GroupFilters,
    request: PageRequest,
  ): Promise<Page<Namespace>> {
    const isFiltered = filters.search !== undefined;
    return this.wide.readNarrow(client, { request, isFiltered }, () =>
      this.groups.list(reader, filters, request),
    );
  }

  /** Lists the groups of which the caller is an owner, for administrators too. */
  listOwned(caller: User, request: PageRequest): Promise<Page<Namespace>> {
    return this.groups.listOwned(caller.id, request);
  }

  /** @throws DomainError not found: the group was deleted after the access check */
  async read({ id }: GroupRef): Promise<Namespace> {
    const group = await this.namespaces.findById(id);
    if (group === null) throw notFound('group');
    return group;
  }

  /**
   * Creates a group that the caller owns.
   * @throws DomainError forbidden, invalid fields; unauthenticated when the caller's account is deleted
   * meanwhile
   */
  async create(caller: User, input: CreateGroupInput): Promise<Namespace> {
    if (!caller.admin && !caller.canCreateGroup) throw forbidden();
    const settings = await this.settings.current();
    assertValid({
      ...groupProblems(input),
      ...visibilityProblems(caller, input.visibility, settings),
    });
    const visibility = input.visibility ?? defaultVisibility(caller, settings);
    return this.writeUnique(input, async () => {
      const group = await this.groups.insert({ ...input, visibility });
      if (!(await this.groups.addOwner(group.id, caller.id))) throw unauthenticated();
      await this.events.publish(new GroupCreated(group));
      const details = { visibility: group.visibility };
      await this.audit.record({ action: 'group.created', ...on(group), details });
      return group;
    });
  }

  /**
   * Updates the given fields. With a new path the addresses of all projects change at once.
   * @throws DomainError not found, invalid fields
   */
  update(caller: User, { id }: GroupRef, changes: GroupChanges): Promise<Namespace> {
    return this.writeUnique({ ...changes, id }, async () => {
      const group = await this.namespaces.lock(id);
      if (group === null) throw notFound('group');
      const { visibility } = changes;
      const changed = visibility === group.visibility ? undefined : visibility;
      assertValid({
        ...groupProblems(changes),
        ...visibilityProblems(caller, changed, await this.settings.current()),
        ...(await this.projectProblems(group, visibility)),
      });
      const updated = await this.groups.update(id, changes);
      await this.audit.record(...changeRecords(group, updated));
      return updated;
    });
  }

  /**
   * Deletes a group: hides it and all its projects at once, and leaves the rest to jobs.
   * @returns the group as it was
   */
  delete({ id }: GroupRef): Promise<Namespace> {
    return this.work.run(async () => {
      const group = await this.namespacesService.delete(id);
      if (group === null) throw notFound('group');
      await this.events.publish(new GroupRemoved(group));
      await this.audit.record({ action: 'group.deleted', ...on(group) });
      return group;
    });
  }

  /** A group is not less visible than its projects. */
  private async projectProblems(
    group: Namespace,
    visibility: Visibility | undefined,
  ): Promise<FieldProblems> {
    if (visibility === undefined || !isMoreVisible(group.visibility, visibility)) return {};
    if (!(await this.groups.hasMoreVisibleProject(group.id, visibility))) return {};
    return { visibility: [{ rule: 'below-projects', value: visibility }] };
  }

  /** Runs a unit of work in which the unique indexes decide who gets a name or path. */
  private async writeUnique(
    texts: { id?: number; name?: string; path?: string },
    work: () => Promise<Namespace>,
  ): Promise<Namespace> {
    try {
      return await this.work.run(work);
    } catch (error) {
      const field = TAKEN[violatedUnique(error) ?? ''];
      if (field === undefined) throw error;
      // PostgreSQL names the first violated index only; the response names both fields.
      const taken = new Set([...(await this.groups.findTaken(texts)), field]);
      const fields = (['name', 'path'] as const).filter((name) => taken.has(name));
      throw invalidFields(Object.fromEntries(fields.map((name) => [name, [{ rule: 'taken' }]])));
    }
  }
}

/** Refuses a visibility that the settings leave to administrators. */
function visibilityProblems(
  caller: User,
  visibility: Visibility | undefined,
  settings: ApplicationSettings,
): FieldProblems {
  if (visibility === undefined || !isRestricted(visibility, caller, settings)) return {};
  return { visibility: [{ rule: 'restricted-visibility', value: visibility }] };
}

/** That of the settings, else public, lowered to the highest one that is not restricted. */
function defaultVisibility(caller: User, settings: ApplicationSettings): Visibility {
  return highestUnrestricted(settings.defaultGroupVisibility ?? 'public', caller, settings);
}

const on = ({ id, path }: Namespace): Pick<AuditRecord, 'target' | 'groupId'> => ({
  target: { type: 'group', id, name: path },
  groupId: id,
});

function changeRecords(before: Namespace, after: Namespace): AuditRecord[] {
  const records: AuditRecord[] = [];
  if (after.path !== before.path) {
    const details = { from: before.path, to: after.path };
    records.push({ action: 'group.renamed', ...on(after), details });
  }
  if (after.visibility !== before.visibility) {
    const details = { from: before.visibility, to: after.visibility };
    records.push({ action: 'group.visibility_changed', ...on(after), details });
  }
  return records;
}
