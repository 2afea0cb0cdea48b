import { Injectable } from '@nestjs/common';
import { UnitOfWork, violatedUnique } from '../../../platform/database/index.js';
import { assertValid, notFound, notModified } from '../../../platform/errors/index.js';
import { reference } from '../../../platform/http/index.js';
import { mapPage, type Page, type PageRequest } from '../../../platform/pagination/index.js';
import { type ProjectAccess, WideLists } from '../../authorization/index.js';
import { type LabelAction, labelNameTaken } from '../model/refusals.js';
import { SubscriptionsRepository } from '../todos/subscriptions.repository.js';
import type { Label } from './label.entity.js';
import { type LabelChanges, labelNameOf, labelProblems, type LabelValues } from './label.rules.js';
import { type LabelCount, LabelsRepository } from './labels.repository.js';

const NAME_INDEX = 'labels_name_key';

/** A label as one reader sees it. */
export interface DescribedLabel {
  label: Label;
  issues: LabelCount;
  mergeRequests: LabelCount;
  subscribed: boolean;
}

/** The reader of labels, with the access to their project. */
interface LabelReader {
  access: ProjectAccess;
  /** Null for anonymous readers. */
  userId: number | null;
}

/** Reads and changes the labels of projects, and subscribes users to them (docs/reference/labels.md#endpoints). */
@Injectable()
export class LabelsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly labels: LabelsRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly wide: WideLists,
  ) {}

  /** Lists all labels of a project whose name or description contains `search`, by name. */
  async list(
    reader: LabelReader,
    request: PageRequest,
    search?: string,
  ): Promise<Page<DescribedLabel>> {
    const { id, client = {} } = reader.access.project;
    const isFiltered = search !== undefined;
    const page = await this.wide.readNarrow(client, { request, isFiltered }, () =>
      this.labels.ofProject(id, request, search),
    );
    return mapPage(page, await this.loadDescriptions(page.items, reader));
  }

  /** @param text ID or name, as for `subscribe` @throws DomainError not found */
  async read(reader: LabelReader, text: string): Promise<DescribedLabel> {
    const label = await this.find(reader, text);
    if (label === null) throw notFound('label');
    return this.describe(label, reader);
  }

  /** Finds the name of a label. @param text ID or name, as for `subscribe` @throws DomainError not found */
  async nameOf(reader: LabelReader, text: string): Promise<string> {
    const label = await this.find(reader, text);
    if (label === null) throw notFound('label');
    return label.name;
  }

  /** @throws DomainError invalid fields, label name taken */
  async create(reader: LabelReader, input: LabelValues): Promise<DescribedLabel> {
    const values = validated(input);
    const created = await orTaken('create', () =>
      this.work.run(() => this.labels.insert(reader.access.project.id, values)),
    );
    if (created === null) throw notFound('project');
    return this.describe(created, reader);
  }

  /** @throws DomainError not found, invalid fields, label name taken */
  async update(reader: LabelReader, name: string, changes: LabelChanges): Promise<DescribedLabel> {
    const { id: projectId } = reader.access.project;
    const label = await this.labels.findByName(projectId, labelNameOf(name));
    if (label === null) throw notFound('label');
    const values = validated(changes);
    const changed = await orTaken('update', () => this.labels.update(label.id, values));
    if (changed === null) throw notFound('label');
    return this.describe(changed, reader);
  }

  /**
   * Deletes a label and removes it from all issues and merge requests.
   * @returns the label as it was
   * @throws DomainError not found
   */
  remove(reader: LabelReader, name: string): Promise<DescribedLabel> {
    return this.work.run(async () => {
      const label = await this.labels.findByName(reader.access.project.id, labelNameOf(name));
      if (label === null) throw notFound('label');
      const described = await this.describe(label, reader);
      if (!(await this.labels.remove(label.id))) throw notFound('label');
      await this.subscriptions.removeAll({ type: 'Label', id: label.id });
      return described;
    });
  }

  /**
   * Subscribes the reader to a label, or ends the subscription.
   * @param text ID or name; digits are a name if no label of the project has that ID
   * @throws DomainError not found; not modified if nothing changes
   */
  subscribe(
    reader: LabelReader & { userId: number },
    text: string,
    subscribed: boolean,
  ): Promise<DescribedLabel> {
    return this.work.run(async () => {
      const label = await this.hold(reader.access.project.id, text);
      if (label === null) throw notFound('label');
      const changed = await this.subscriptions.chooseLabel(label, reader.userId, subscribed);
      if (!changed) throw notModified();
      return this.describe(label, reader);
    });
  }

  private async find({ access: { project } }: LabelReader, text: string): Promise<Label | null> {
    const wanted = reference(text);
    const byId = wanted.by === 'id' ? await this.labels.findIn(project.id, wanted.id) : null;
    return byId ?? this.labels.findByName(project.id, text);
  }

  private async hold(projectId: number, text: string): Promise<Label | null> {
    const wanted = reference(text);
    const byId = wanted.by === 'id' ? await this.labels.hold({ projectId, id: wanted.id }) : null;
    return byId ?? this.labels.hold({ projectId, name: text });
  }

  private async describe(label: Label, reader: LabelReader): Promise<DescribedLabel> {
    return (await this.loadDescriptions([label], reader))(label);
  }

  /** Loads counts and subscriptions with a constant number of statements. @returns a look-up */
  private async loadDescriptions(
    labels: readonly Label[],
    { access, userId }: LabelReader,
  ): Promise<(label: Label) => DescribedLabel> {
    const ids = labels.map(({ id }) => id);
    const countOf = await this.labels.countTargets(ids, access, userId);
    const subscribed =
      userId === null ? new Set<number>() : await this.subscriptions.chosenLabels(ids, userId);
    return (label) => ({
      label,
      issues: countOf('Issue', label.id),
      mergeRequests: countOf('MergeRequest', label.id),
      subscribed: subscribed.has(label.id),
    });
  }
}

function validated<Values extends LabelChanges>(values: Values): Values {
  assertValid(labelProblems(values));
  return values.name === undefined ? values : { ...values, name: labelNameOf(values.name) };
}

/** Runs the work. @throws DomainError label name taken, if another label has it */
async function orTaken<T>(action: LabelAction, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw violatedUnique(error) === NAME_INDEX ? labelNameTaken(action) : error;
  }
}
