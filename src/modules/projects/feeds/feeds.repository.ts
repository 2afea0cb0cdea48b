import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { boundedCount, Page, type PageRequest, windowOf } from '../../../platform/http/index.js';
import type { Account } from '../../access/index.js';
import type { ActivityEvent } from '../../activity/index.js';
import { levelsShownTo, NOT_ON_CODE, SEEN_PROJECTS } from './event-visibility.js';

export type FeedEvent = Pick<
  ActivityEvent,
  'projectId' | 'authorId' | 'action' | 'targetType' | 'targetId' | 'data' | 'createdAt'
>;

/** The events of a feed, as SQL with its parameters. */
interface Feed {
  /** Tables the rest refers to. */
  before: string;
  /** From `FROM` on; the table of events goes by `event`. */
  from: string;
  parameters: readonly unknown[];
}

const COLUMNS = `event.project_id AS "projectId", event.author_id AS "authorId", event.action,
  event.target_type AS "targetType", event.target_id AS "targetId", event.data,
  event.created_at AS "createdAt"`;

@Injectable()
export class FeedsRepository {
  constructor(private readonly database: Database) {}

  /** What happened in a project, newest first. @param withCode whether the reader may read its code */
  ofProject(projectId: number, withCode: boolean, request: PageRequest): Promise<Page<FeedEvent>> {
    const shown = withCode ? '' : `AND ${NOT_ON_CODE}`;
    const from = `FROM events event WHERE event.project_id = $1 ${shown}`;
    return this.page({ before: '', from, parameters: [projectId] }, request);
  }

  /** What somebody did in the projects that a reader sees, newest first. */
  ofAuthor(authorId: number, reader: Account, request: PageRequest): Promise<Page<FeedEvent>> {
    const from = `
      FROM events event JOIN seen ON seen.id = event.project_id
     WHERE event.author_id = $1 AND (seen.code OR (${NOT_ON_CODE}))`;
    const parameters = [authorId, reader.id, levelsShownTo(reader)];
    return this.page({ before: SEEN_PROJECTS, from, parameters }, request);
  }

  private async page(
    { before, from, parameters }: Feed,
    request: PageRequest,
  ): Promise<Page<FeedEvent>> {
    const [limit, offset] = [parameters.length + 1, parameters.length + 2].map(placeholder);
    // Their IDs first, which an index tells alone; the rows hold all that was pushed.
    const rows = await this.database.rows<FeedEvent>(
      `${before}
       SELECT ${COLUMNS} FROM events event WHERE event.id IN (
         SELECT event.id ${from} ORDER BY event.id DESC LIMIT ${limit} OFFSET ${offset})
        ORDER BY event.id DESC`,
      [...parameters, windowOf(request).limit, windowOf(request).offset],
    );
    const counted = await boundedCount(this.database, `${before} SELECT 1 ${from}`, parameters);
    return Page.cut(rows, counted, request);
  }
}

const placeholder = (position: number): string => `$${String(position)}`;
