import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import type { ListFilter, Place } from './issue-list.js';
import type { NarrowPlace } from './list-sql.js';

/** Whether issues need all of the labels or one of them. */
export type LabelMatch = 'all' | 'any';

export interface Narrowed {
  places: NarrowPlace[];
  /** IDs of further labels: issues have one out of each set. */
  labels: number[][];
}

interface Named {
  id: number;
  projectId: number;
  name: string;
}

/** Finds what the names of labels and milestones mean in the places of a list. */
@Injectable()
export class ListNarrowing {
  constructor(private readonly database: Database) {}

  /** Leaves out the places where nothing has these names; at most one statement for each filter. */
  async run(
    places: readonly Place[],
    { labels, milestone }: Pick<ListFilter, 'labels' | 'milestone'>,
    match: LabelMatch,
  ): Promise<Narrowed> {
    const inMilestone = await this.withMilestone(places, milestone);
    if (labels.length === 0 || inMilestone.length === 0) return { places: inMilestone, labels: [] };
    const found = await this.named('labels', 'name', inMilestone, labels);
    // What has all of them is looked for where the first one is.
    const [first = [], ...others] = match === 'any' ? [labels] : labels.map((name) => [name]);
    const rest = others.map((names) => found.filter(({ name }) => names.includes(name)));
    return {
      places: inMilestone.flatMap((place) => {
        const isHere = (label: Named) => label.projectId === place.projectId;
        if (!rest.every((set) => set.some(isHere))) return [];
        const here = found.filter((label) => isHere(label) && first.includes(label.name));
        return here.map(({ id }) => ({ ...place, labelId: id }));
      }),
      labels: rest.map((set) => set.map(({ id }) => id)),
    };
  }

  private async withMilestone(
    places: readonly Place[],
    title: ListFilter['milestone'],
  ): Promise<NarrowPlace[]> {
    if (title === undefined) return [...places];
    if (title === null) return places.map((place) => ({ ...place, milestoneId: null }));
    const found = await this.named('milestones', 'title', places, [title]);
    const ids = new Map(found.map(({ projectId, id }) => [projectId, id]));
    return places.flatMap((place) => {
      const milestoneId = ids.get(place.projectId);
      return milestoneId === undefined ? [] : [{ ...place, milestoneId }];
    });
  }

  private named(
    table: 'labels' | 'milestones',
    column: 'name' | 'title',
    places: readonly Place[],
    names: readonly string[],
  ): Promise<Named[]> {
    return this.database.rows(
      `SELECT id, project_id AS "projectId", ${column} AS name FROM ${table}
        WHERE project_id = ANY($1::int[]) AND ${column} = ANY($2::varchar[])`,
      [places.map(({ projectId }) => projectId), names],
    );
  }
}
