import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import type { Issue } from './issue.entity.js';

type Counted = Pick<Issue, 'projectId' | 'state' | 'confidential'>;

/** How many of an issue's project's open ones it is: none or one. */
export const openOnes = ({ state }: Pick<Counted, 'state'>): number => (state === 'opened' ? 1 : 0);

/** How many of the confidential ones among them. */
export const openConfidentialOnes = (issue: Pick<Counted, 'state' | 'confidential'>): number =>
  issue.confidential ? openOnes(issue) : 0;

/**
 * Adds to the counts of projects, as a statement or part of one.
 * @param source rows of a project's ID and what is added to either count
 */
export const addToCounts = (source: string): string => `
  INSERT INTO issue_counts AS counts (project_id, opened, opened_confidential) ${source}
  ON CONFLICT (project_id) DO UPDATE
     SET opened = counts.opened + excluded.opened,
         opened_confidential = counts.opened_confidential + excluded.opened_confidential`;

const ADD = addToCounts('VALUES ($1::int, $2::int, $3::int)');

/** Keeps count of the open issues of projects. */
@Injectable()
export class IssueCounts {
  constructor(private readonly database: Database) {}

  /** Follows one issue from what it was to what it is, null once it is deleted. */
  async follow(before: Counted, after: Counted | null): Promise<void> {
    const opened = (after === null ? 0 : openOnes(after)) - openOnes(before);
    const confidential =
      (after === null ? 0 : openConfidentialOnes(after)) - openConfidentialOnes(before);
    if (opened === 0 && confidential === 0) return;
    await this.database.rows(ADD, [before.projectId, opened, confidential]);
  }
}
