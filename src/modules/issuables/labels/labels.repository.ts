import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../platform/database/index.js';
import { type Page, pageOfQuery, type PageRequest } from '../../../platform/pages/index.js';
import { omitUndefined } from '../kinds/issuable.rules.js';
import { Label } from './label.entity.js';
import { isLabelName, type LabelChanges, labelNameOf, type LabelValues } from './label.rules.js';

/** The colour of labels that are created by their name (docs/reference/labels.md#names). */
const DEFAULT_COLOR = '#428BCA';

const MAKE = `
  INSERT INTO labels (project_id, name, color)
  SELECT $1, name, $3 FROM unnest($2::varchar[]) AS name
  ON CONFLICT DO NOTHING`;

const INSERT = `
  INSERT INTO labels (project_id, name, color, description, priority)
  SELECT id, $2, $3, $4, $5::int FROM projects
   WHERE id = $1 AND deleted_at IS NULL FOR KEY SHARE
  RETURNING id`;

@Injectable()
export class LabelsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Finds the labels of a project with these names, by name. Invalid names are ignored.
   * @param create whether missing labels are created, once even if several requests do so at the same time
   */
  async resolve(
    projectId: number,
    names: readonly string[],
    { create }: { create: boolean },
  ): Promise<Label[]> {
    const wanted = [...new Set(names.map(labelNameOf).filter(isLabelName))];
    const found = await this.findByNames(projectId, wanted);
    const known = new Set(found.map(({ name }) => name));
    // Concurrent transactions insert in the same order, so that they do not deadlock.
    const missing = wanted.filter((name) => !known.has(name)).sort();
    if (!create || missing.length === 0) return found;
    await this.database.rows(MAKE, [projectId, missing, DEFAULT_COLOR]);
    return this.findByNames(projectId, wanted);
  }

  /** Lists all labels of a project, by name. */
  ofProject(projectId: number, request: PageRequest): Promise<Page<Label>> {
    const query = this.database
      .of(Label)
      .createQueryBuilder('label')
      .where('label.project_id = :projectId', { projectId })
      .orderBy('label.name');
    return pageOfQuery(this.database, query, request);
  }

  findByName(projectId: number, name: string): Promise<Label | null> {
    return this.database.of(Label).findOneBy({ projectId, name });
  }

  /** Finds a label and locks it against deletion until the unit of work ends. */
  hold(where: { projectId: number } & ({ id: number } | { name: string })): Promise<Label | null> {
    return this.database.of(Label).findOne({ where, lock: { mode: 'for_key_share' } });
  }

  /** @returns null if the project is deleted @throws if the name is taken */
  async insert(projectId: number, values: LabelValues): Promise<Label | null> {
    const { name, color, description, priority } = values;
    const [row] = await this.database.rows<{ id: number }>(INSERT, [
      projectId,
      ...[name, color, description, priority],
    ]);
    return row === undefined ? null : this.database.of(Label).findOneByOrFail({ id: row.id });
  }

  /** @returns null if the label is deleted @throws if the name is taken */
  async update(id: number, values: LabelChanges): Promise<Label | null> {
    const labels = this.database.of(Label);
    await labels.update({ id }, omitUndefined<LabelValues>(values));
    return labels.findOneBy({ id });
  }

  /** @returns false if the label is deleted already */
  async remove(id: number): Promise<boolean> {
    const { affected } = await this.database.of(Label).delete({ id });
    return affected === 1;
  }

  private async findByNames(projectId: number, names: readonly string[]): Promise<Label[]> {
    if (names.length === 0) return [];
    const labels = this.database.of(Label);
    return labels.find({ where: { projectId, name: In([...names]) }, order: { name: 'ASC' } });
  }
}
