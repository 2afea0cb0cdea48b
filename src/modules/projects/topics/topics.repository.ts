import { Injectable } from '@nestjs/common';
import { containing, Database, opaqueArray } from '../../../platform/database/index.js';
import { type Page, type PageRequest, pageOfQuery } from '../../../platform/pagination/index.js';
import { Topic } from './topic.entity.js';
import { topicByName } from './topics.sql.js';

const GIVEN = `unnest(${opaqueArray('$1', 'text')}) WITH ORDINALITY AS given (name, position)`;

/** Keeps the topics that exist from being removed. */
const HOLD_TOPICS = `
  SELECT id FROM topics WHERE id = ANY (topic_ids(${opaqueArray('$1', 'text')}))
   ORDER BY id FOR KEY SHARE`;

/** How many topics are removed at once. */
const CHUNK = 1_000;

/** Younger ones are for the project that is about to have them. */
const REMOVE_UNUSED = `
  DELETE FROM topics WHERE id IN (
    SELECT id FROM topics WHERE projects_count = 0 AND created_at < now() - interval '1 day'
     ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)
  RETURNING id`;

/** In the order of the names, so that two units of work do not wait for each other; of several spellings the first counts. */
const CREATE_TOPICS = `
  INSERT INTO topics (name)
  SELECT given.name FROM ${GIVEN}
   WHERE NOT EXISTS (SELECT FROM ${topicByName('given.name')} known)
   ORDER BY lower(given.name), given.position
  ON CONFLICT (lower(name)) DO NOTHING`;

const FIND_TOPICS = `
  SELECT t.name FROM ${GIVEN} CROSS JOIN ${topicByName('given.name')} t
   GROUP BY t.id, t.name ORDER BY min(given.position)`;

/** The projects by which a reader finds topics: administrators by all, external users by public ones. */
export type TopicCount = 'projectsCount' | 'internalProjectsCount' | 'publicProjectsCount';

interface TopicFilters {
  readonly count: TopicCount;
  /** Part of the name, in any case. */
  readonly text?: string | undefined;
  /** True: those that no project has. */
  readonly isUnused?: boolean | undefined;
}

/** Topics, whose names are unique in any case (docs/reference/v4-topics.md). */
@Injectable()
export class TopicsRepository {
  constructor(private readonly database: Database) {}

  /** Lists topics, those of most projects that count first. Those of no such project are for who counts all projects. */
  page(
    { count, text, isUnused = false }: TopicFilters,
    request: PageRequest,
  ): Promise<Page<Topic>> {
    const query = this.database
      .of(Topic)
      .createQueryBuilder('topic')
      .orderBy(`topic.${count}`, 'DESC')
      .addOrderBy('topic.id');
    if (count !== 'projectsCount') query.andWhere(`topic.${count} > 0`);
    if (text !== undefined) query.andWhere('topic.name ILIKE :text', { text: containing(text) });
    if (isUnused) query.andWhere('topic.projectsCount = 0');
    return pageOfQuery(this.database, query, request);
  }

  find(id: number): Promise<Topic | null> {
    return this.database.of(Topic).findOneBy({ id });
  }

  /**
   * Creates the topics that do not exist, in the caller's unit of work, to the end of which none of them is removed. Waits for
   * concurrent creations of the same topics.
   * @returns the names as the topics have them, in the given order, each once
   */
  async ensure(names: readonly string[]): Promise<string[]> {
    if (names.length === 0) return [];
    await this.database.rows(HOLD_TOPICS, [names]);
    await this.database.rows(CREATE_TOPICS, [names]);
    const rows = await this.database.rows<{ name: string }>(FIND_TOPICS, [names]);
    return rows.map(({ name }) => name);
  }

  /** Removes some topics that no project has, and that are a day old. @returns whether there may be more */
  async removeSomeUnused(): Promise<boolean> {
    return (await this.database.rows(REMOVE_UNUSED, [CHUNK])).length === CHUNK;
  }
}
