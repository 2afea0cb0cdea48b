import { Injectable } from '@nestjs/common';
import { UnitOfWork, violatedUnique } from '../../../platform/database/index.js';
import { conflict, invalidRecord, notFound } from '../../../platform/errors/index.js';
import { mapPage, type Page, type PageRequest } from '../../../platform/http/index.js';
import { Subscriptions } from '../subscriptions/subscriptions.js';
import { type DescribedLabel, LabelDetails, type LabelReader } from './label-details.js';
import { labelNameOf } from './label-name.js';
import { type LabelChanges, labelErrors, type LabelValues } from './label.rules.js';
import { LabelsRepository } from './labels.repository.js';

const NAME_INDEX = 'labels_name_key';

/** The labels of projects (docs/reference/labels.md#endpoints). */
@Injectable()
export class LabelsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly labels: LabelsRepository,
    private readonly details: LabelDetails,
    private readonly subscriptions: Subscriptions,
  ) {}

  /** All of a project, by name. */
  async list(reader: LabelReader, request: PageRequest): Promise<Page<DescribedLabel>> {
    const page = await this.labels.ofProject(reader.access.project.id, request);
    return mapPage(page, await this.details.of(page.items, reader));
  }

  /** @throws DomainError invalid record; conflict when there is one of this name */
  async create(reader: LabelReader, input: LabelValues): Promise<DescribedLabel> {
    const values = valid(input);
    const taken = () => conflict('Label already exists');
    const made = await orTaken(taken, () =>
      this.work.run(() => this.labels.insert(reader.access.project.id, values)),
    );
    if (made === null) throw notFound('Project');
    return this.details.ofOne(made, reader);
  }

  /** Changes what is given. @throws DomainError not found, invalid record */
  async update(reader: LabelReader, name: string, changes: LabelChanges): Promise<DescribedLabel> {
    const { id: projectId } = reader.access.project;
    const label = await this.labels.findByName(projectId, labelNameOf(name));
    if (label === null) throw notFound('Label');
    const values = valid(changes);
    const taken = () => invalidRecord({ title: ['has already been taken'] });
    const changed = await orTaken(taken, () => this.labels.update(label.id, values));
    if (changed === null) throw notFound('Label');
    return this.details.ofOne(changed, reader);
  }

  /**
   * Deletes a label, which takes it off everything that has it.
   * @returns the label as it was
   * @throws DomainError not found
   */
  remove(reader: LabelReader, name: string): Promise<DescribedLabel> {
    return this.work.run(async () => {
      const label = await this.labels.findByName(reader.access.project.id, labelNameOf(name));
      if (label === null) throw notFound('Label');
      const described = await this.details.ofOne(label, reader);
      if (!(await this.labels.remove(label.id))) throw notFound('Label');
      await this.subscriptions.removeAll({ type: 'Label', id: label.id });
      return described;
    });
  }
}

function valid<Values extends LabelChanges>(values: Values): Values {
  const errors = labelErrors(values);
  if (errors !== null) throw invalidRecord(errors);
  return values.name === undefined ? values : { ...values, name: labelNameOf(values.name) };
}

/** What `work` comes to; what `taken` makes is thrown where another label has the name. */
async function orTaken<T>(taken: () => Error, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw violatedUnique(error) === NAME_INDEX ? taken() : error;
  }
}
