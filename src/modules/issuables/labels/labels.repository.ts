import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../platform/database/index.js';
import { type Page, pageOfQuery, type PageRequest } from '../../../platform/http/index.js';
import { given } from '../given.js';
import { isLabelName, labelNameOf } from './label-name.js';
import { Label } from './label.entity.js';
import type { LabelChanges, LabelValues } from './label.rules.js';

/** The colour of labels that are made by being named (docs/reference/labels.md#names). */
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
   * The labels of a project with these names, by name. Names that no label may have are passed over.
   * @param create whether labels that are not there are made; otherwise they are left out. However
   *   many ask for one at once, one is made.
   */
  async resolve(
    projectId: number,
    names: readonly string[],
    { create }: { create: boolean },
  ): Promise<Label[]> {
    const wanted = [...new Set(names.map(labelNameOf).filter(isLabelName))];
    const found = await this.findByNames(projectId, wanted);
    const known = new Set(found.map(({ name }) => name));
    // In the same order everywhere, so that nobody waits in a circle.
    const missing = wanted.filter((name) => !known.has(name)).sort();
    if (!create || missing.length === 0) return found;
    await this.database.rows(MAKE, [projectId, missing, DEFAULT_COLOR]);
    return this.findByNames(projectId, wanted);
  }

  /** All of a project, by name. */
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

  /** Null for what is not there; the label stays until the caller's unit of work is over. */
  hold(where: { projectId: number } & ({ id: number } | { name: string })): Promise<Label | null> {
    return this.database.of(Label).findOne({ where, lock: { mode: 'for_key_share' } });
  }

  /** Null for a project that is deleted; fails where the name is taken. */
  async insert(projectId: number, values: LabelValues): Promise<Label | null> {
    const { name, color, description, priority } = values;
    const [row] = await this.database.rows<{ id: number }>(INSERT, [
      projectId,
      ...[name, color, description, priority],
    ]);
    return row === undefined ? null : this.database.of(Label).findOneByOrFail({ id: row.id });
  }

  /** Null for what is not there any more; fails where the name is taken. */
  async update(id: number, values: LabelChanges): Promise<Label | null> {
    const labels = this.database.of(Label);
    await labels.update({ id }, given<LabelValues>(values));
    return labels.findOneBy({ id });
  }

  /** False for what is not there any more. */
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
