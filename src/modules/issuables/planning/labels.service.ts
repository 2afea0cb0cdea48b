import { Injectable } from '@nestjs/common';
import { UnitOfWork, violatedUnique } from '../../../platform/database/index.js';
import { assertValid, forbidden, notFound, notModified } from '../../../platform/errors/index.js';
import { reference } from '../../../platform/http/index.js';
import { mapPage, type Page, type PageRequest } from '../../../platform/pagination/index.js';
import {
  allowsOnGroup,
  type GroupAccess,
  GroupAccessRepository,
  type ProjectAccess,
  WideLists,
} from '../../authorization/index.js';
import { omitUndefined } from '../model/issuable.rules.js';
import { type LabelAction, labelNameTaken, promotionRefused } from '../model/refusals.js';
import { SubscriptionsRepository } from '../todos/subscriptions.repository.js';
import { GroupLabelsRepository } from './group-labels.repository.js';
import { type LabelCount, LabelCountsRepository } from './label-counts.repository.js';
import type { Label } from './label.entity.js';
import { type LabelChanges, labelNameOf, labelProblems, type LabelValues } from './label.rules.js';
import { LabelsRepository } from './labels.repository.js';
import {
  clientOf,
  isIn,
  ownerOf,
  type PlanningReader,
  type PlanningScope,
  scopeOf,
} from './planning-owner.js';

const NAME_INDEXES: readonly string[] = ['labels_name_key', 'labels_group_name_key'];

/** A label as one reader sees it. */
export interface DescribedLabel {
  label: Label;
  /** In the project that the reader asks for. */
  priority: number | null;
  issues: LabelCount;
  mergeRequests: LabelCount;
  subscribed: boolean;
}

/** The reader of labels, with the access to their project or group. */
export interface LabelReader extends PlanningReader {
  /** Whether the answer has counts; they are 0 otherwise. */
  readonly counts: boolean;
}

/** The caller who changes labels. */
type LabelEditor = LabelReader & { readonly reader: NonNullable<PlanningReader['reader']> };

/**
 * How a request names a label: by its name, its ID, or by ID or name, where digits are a name if no label has that ID.
 * `own`: none of the project's group.
 */
export type LabelKey = (
  { readonly name: string } | { readonly id: number } | { readonly idOrName: string }
) & {
  readonly own?: boolean;
};

/** The labels that a list has. */
export interface LabelFilter {
  /** A part of name or description. */
  readonly search?: string | undefined;
  /** Whether those of a group's projects are listed as well. */
  readonly ofProjects?: boolean | undefined;
}

/** Reads and changes the labels of projects and groups, and subscribes users to them (docs/reference/labels.md#endpoints). */
@Injectable()
export class LabelsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly labels: LabelsRepository,
    private readonly ofGroups: GroupLabelsRepository,
    private readonly counts: LabelCountsRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly groups: GroupAccessRepository,
    private readonly wide: WideLists,
  ) {}

  /** Lists the labels of a project and its group, or of a group, by name. */
  async list(
    reader: LabelReader,
    request: PageRequest,
    { search, ofProjects = false }: LabelFilter = {},
  ): Promise<Page<DescribedLabel>> {
    const { place } = reader;
    const isFiltered = search !== undefined || ofProjects;
    const page = await this.wide.readNarrow(clientOf(place), { request, isFiltered }, () =>
      ofProjects && 'group' in place
        ? this.labels.listWithProjects(place.group.group.id, reader.reader, request, search)
        : this.labels.list(scopeOf(place), request, search),
    );
    return mapPage(page, await this.loadDescriptions(page.items, reader));
  }

  /** @throws DomainError not found */
  async read(reader: LabelReader, key: LabelKey): Promise<DescribedLabel> {
    return this.describe(await this.require(reader, key), reader);
  }

  /** @throws DomainError invalid fields, label name taken */
  async create(editor: LabelEditor, input: LabelValues): Promise<DescribedLabel> {
    const values = validated(input);
    const { place } = editor;
    const created = await orTaken('create', () =>
      this.work.run(() => this.labels.insert(ownerOf(place), values)),
    );
    if (created !== null) return this.describe(created, editor);
    if ((await this.find(editor, { name: values.name })) !== null) throw labelNameTaken('create');
    throw notFound('access' in place ? 'project' : 'group');
  }

  /**
   * Changes a label. That of a group through one of its projects needs the right on the group, except for the priority, which is
   * the project's.
   * @throws DomainError not found, forbidden, invalid fields, label name taken
   */
  async update(editor: LabelEditor, key: LabelKey, changes: LabelChanges): Promise<DescribedLabel> {
    const label = await this.require(editor, key);
    const { priority, ...others } = changes;
    const { place } = editor;
    const isInherited = 'access' in place && label.projectId === null;
    const isChanged = Object.keys(omitUndefined<LabelValues>(others)).length > 0;
    if (isInherited && isChanged) await this.assertMayEditGroup(editor, label);
    const values = validated(isInherited ? others : changes);
    const changed = await orTaken('update', () =>
      this.work.run(async () => {
        if (isInherited && priority !== undefined) {
          await this.ofGroups.setPriority(label.id, place.access.project.id, priority);
          if (!isChanged) return label;
        }
        return this.labels.update(label, values);
      }),
    );
    if (changed === null) throw notFound('label');
    return this.describe(changed, editor);
  }

  /**
   * Deletes a label and removes it from all issues and merge requests. That of a group through one of its projects needs the right on
   * the group.
   * @returns the label as it was
   * @throws DomainError not found, forbidden
   */
  async remove(editor: LabelEditor, key: LabelKey): Promise<DescribedLabel> {
    const label = await this.require(editor, key);
    if ('access' in editor.place && label.projectId === null) {
      await this.assertMayEditGroup(editor, label);
    }
    const described = await this.describe(label, editor);
    await this.work.run(async () => {
      if (!(await this.labels.remove(label.id))) throw notFound('label');
      await this.subscriptions.removeAll({ type: 'Label', id: label.id });
    });
    return described;
  }

  /**
   * Subscribes the reader to a label, or ends the subscription.
   * @throws DomainError not found; not modified if nothing changes
   */
  async subscribe(
    editor: LabelEditor,
    key: LabelKey,
    subscribed: boolean,
  ): Promise<DescribedLabel> {
    const { id } = await this.require(editor, key);
    const label = await this.work.run(async () => {
      const held = await this.labels.hold(id);
      if (held === null) throw notFound('label');
      const changed = await this.subscriptions.chooseLabel(held, editor.reader.id, subscribed);
      if (!changed) throw notModified();
      return held;
    });
    return this.describe(label, editor);
  }

  /**
   * Makes a label of a project one of its group, in place of those with its name in the group's other projects.
   * @returns the label as its group has it
   * @throws DomainError not found, forbidden, promotion refused
   */
  async promote(
    editor: LabelEditor,
    access: ProjectAccess,
    key: LabelKey,
  ): Promise<DescribedLabel> {
    const group = await this.findGroup(editor, access.project.namespaceId);
    if (group === null) throw promotionRefused();
    if (!allowsOnGroup(group, 'group-label:edit')) throw forbidden();
    const label = await this.require(editor, key);
    const groupId = group.group.id;
    const isPromoted =
      label.projectId !== null &&
      (await this.work.run(() => this.ofGroups.promote(label.id, groupId)));
    if (!isPromoted) throw promotionRefused();
    const place = { group, client: clientOf(editor.place) };
    return this.read({ ...editor, place }, { name: label.name });
  }

  private async assertMayEditGroup(editor: LabelEditor, { groupId }: Label): Promise<void> {
    const group = groupId === null ? null : await this.findGroup(editor, groupId);
    if (group === null || !allowsOnGroup(group, 'group-label:edit')) throw forbidden();
  }

  private findGroup({ reader }: LabelEditor, id: number): Promise<GroupAccess | null> {
    return this.groups.find(reader, { by: 'id', id });
  }

  private async require(reader: LabelReader, key: LabelKey): Promise<Label> {
    const label = await this.find(reader, key);
    if (label === null) throw notFound('label');
    return label;
  }

  private async find({ place }: LabelReader, key: LabelKey): Promise<Label | null> {
    const scope: PlanningScope = key.own === true ? ownerOf(place) : scopeOf(place);
    const wanted = 'idOrName' in key ? reference(key.idOrName) : null;
    const id = 'id' in key ? key.id : wanted?.by === 'id' ? wanted.id : null;
    const byId = id === null ? null : await this.labels.find(id);
    if (byId !== null && isIn(byId, scope)) return byId;
    if ('id' in key) return null;
    const name = 'idOrName' in key ? key.idOrName : labelNameOf(key.name);
    return this.labels.findByName(scope, name);
  }

  private async describe(label: Label, reader: LabelReader): Promise<DescribedLabel> {
    return (await this.loadDescriptions([label], reader))(label);
  }

  /** Loads counts, priorities and subscriptions with a constant number of statements. @returns a look-up */
  private async loadDescriptions(
    labels: readonly Label[],
    { place, reader, counts }: LabelReader,
  ): Promise<(label: Label) => DescribedLabel> {
    const ids = labels.map(({ id }) => id);
    const inherited = labels.filter(({ groupId }) => groupId !== null);
    const inheritedIds = inherited.map(({ id }) => id);
    const own = 'access' in place ? labels.filter(({ groupId }) => groupId === null) : [];
    const inGroup = 'access' in place ? inheritedIds : ids;
    const groupId = scopeOf(place).groupId ?? 0;
    const countOwn =
      counts && 'access' in place
        ? await this.counts.countInProject(
            own.map(({ id }) => id),
            place.access,
            reader,
          )
        : null;
    const countInGroup =
      counts && inGroup.length > 0
        ? await this.wide.read(clientOf(place), () =>
            this.counts.countInGroup(inGroup, groupId, reader),
          )
        : null;
    const priorities =
      'access' in place
        ? await this.ofGroups.prioritiesOf(place.access.project.id, inheritedIds)
        : null;
    const subscribed =
      reader === null ? new Set<number>() : await this.subscriptions.chosenLabels(ids, reader.id);
    return (label) => {
      const isOwn = 'access' in place && label.groupId === null;
      const countOf = (isOwn ? countOwn : countInGroup) ?? (() => NOTHING);
      return {
        label,
        priority: isOwn ? label.priority : (priorities?.get(label.id) ?? null),
        issues: countOf('Issue', label.id),
        mergeRequests: countOf('MergeRequest', label.id),
        subscribed: subscribed.has(label.id),
      };
    };
  }
}

const NOTHING: LabelCount = { open: 0, closed: 0 };

function validated<Values extends LabelChanges>(values: Values): Values {
  assertValid(labelProblems(values));
  return values.name === undefined ? values : { ...values, name: labelNameOf(values.name) };
}

/** Runs the work. @throws DomainError label name taken, if another label has it */
async function orTaken<T>(action: LabelAction, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw NAME_INDEXES.includes(violatedUnique(error) ?? '') ? labelNameTaken(action) : error;
  }
}
