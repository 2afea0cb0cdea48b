import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import {
  boundedCount,
  COUNTED_ITEMS,
  firstTexts,
  Page,
  type PageRequest,
  windowOf,
} from '../../platform/pagination/index.js';
import {
  allows,
  Level,
  type ProjectAccess,
  existingProject,
  levelOnProject,
  projectLevels,
  type Subject,
  VISIBILITY_LEVEL,
  visibleLevels,
} from '../authorization/index.js';
import type { ActivityEvent } from '../activity/index.js';
import { EventTargets } from './event-targets.js';

export type FeedEvent = Pick<
  ActivityEvent,
  'projectId' | 'authorId' | 'action' | 'targetType' | 'targetId' | 'pushedRef' | 'createdAt'
>;

/** An event in a feed. A large `pushedRef` may be left out, to be loaded by `withPushedRefs`; then it is null. */
export interface ListedEvent extends FeedEvent {
  id: string;
  pushedRefBytes: number;
}

/** Which events of a feed are listed, and in which order. */
export interface EventFilter {
  /** Recorded actions. */
  actions?: readonly string[] | undefined;
  /** Recorded actions that are left out. */
  exceptActions?: readonly string[] | undefined;
  /** As events show it; null for targets that no event has. */
  targetType?: string | null | undefined;
  /** At this moment or later. */
  since?: Date | undefined;
  /** Before this moment. */
  until?: Date | undefined;
  /** The oldest first. */
  isAscending?: boolean;
}

/** The events of a feed, as SQL with its parameters. */
interface Feed {
  /** A `WITH` clause that `from` refers to; may be empty. */
  with: string;
  /**
   * The rest of the statement from `FROM` on; the alias of `events` is `event`.
   * @param most how many rows of it are read at most
   */
  from: (most: string) => string;
  parameters: readonly unknown[];
}

// The conditions of docs/reference/events.md#who-sees-an-event on the alias `event`. They are part of the
// statements, so that hidden events are neither in a page nor in its totals.

/** Actions that show code: hidden from readers who may not read it. */
const ON_CODE = `('pushed new', 'pushed to', 'deleted')`;

/** The target type of comments on commits. */
export const COMMIT_NOTE = 'CommitNote';

/** Selects the events for a reader who sees the project but may not read its code. */
const NOT_ON_CODE = `event.action NOT IN ${ON_CODE}
  AND event.target_type IS DISTINCT FROM '${COMMIT_NOTE}'`;

/**
 * A `WITH` clause with the table `seen`: the projects with events of a user that a reader sees, whether the reader
 * may read their code, and the columns of `EventVisibility.across`. It starts from the author's projects, which
 * are few. $1: ID of the author; $2: ID of the reader; $3: the reader's visibility levels; $4: whether the reader
 * is an administrator.
 */
const SEEN_PROJECTS = `
  WITH authored AS MATERIALIZED (
    SELECT DISTINCT event.project_id FROM events event WHERE event.author_id = $1
  ), seen AS MATERIALIZED (
    SELECT p.id,
           p.visibility_level = ANY($3::int[]) OR own.level >= ${String(Level.REPORTER)} AS code,
           CASE WHEN $4 THEN ${String(Level.OWNER)} ELSE own.level END AS level,
           p.issues_enabled, p.merge_requests_enabled
      FROM authored
      ${existingProject('authored.project_id')}
     CROSS JOIN LATERAL (SELECT ${levelOnProject('p', 'n', '$2')} AS level OFFSET 0) own
     WHERE p.visibility_level = ANY($3::int[]) OR own.level > 0
  )`;

/**
 * The same table of the projects that the reader is a member of, at any level. $1 and $2: ID of the reader; $3 and $4 as above.
 */
const MEMBER_PROJECTS = `
  WITH seen AS MATERIALIZED (
    SELECT p.id,
           p.visibility_level = ANY($3::int[]) OR own.level >= ${String(Level.REPORTER)} AS code,
           CASE WHEN $4 THEN ${String(Level.OWNER)} ELSE own.level END AS level,
           p.issues_enabled, p.merge_requests_enabled
      FROM (SELECT project_id, max(access_level) AS level
              FROM (${projectLevels('$1::int')}) every GROUP BY project_id) own
      ${existingProject('own.project_id')}
  )`;

/** For administrators, who see all projects. */
const ALL_LEVELS = Object.values(VISIBILITY_LEVEL);

const COLUMNS = `event.project_id AS "projectId", event.author_id AS "authorId", event.action,
  event.target_type AS "targetType", event.target_id AS "targetId",
  event.created_at AS "createdAt"`;

/** For the first events of the page only. */
const pushedRef = (order: string): string => `
  (${firstTexts('event.pushed_ref::text', order)})::jsonb AS "pushedRef",
  coalesce(octet_length(event.pushed_ref::text), 0) AS "pushedRefBytes"`;

/** The reader, for the conditions of `EventVisibility`. */
const READER = '(SELECT $2::int AS id) AS reader';

@Injectable()
export class FeedsRepository {
  constructor(
    private readonly database: Database,
    private readonly targets: EventTargets,
  ) {}

  /** Lists the events of a project that a reader may see, newest first. */
  listOfProject(
    access: ProjectAccess,
    reader: Subject,
    request: PageRequest,
    filter: EventFilter,
  ): Promise<Page<ListedEvent>> {
    const parameters: unknown[] = [access.project.id, reader?.id ?? null];
    const conditions = [
      'event.project_id = $1',
      ...(allows(access, 'code:read') ? [] : [NOT_ON_CODE]),
      ...this.targets.conditions(access),
      ...this.filterConditions(filter, parameters),
    ];
    const from = `FROM events event, ${READER} WHERE ${conditions.join(' AND ')}`;
    return this.page({ with: '', from: () => from, parameters }, request, filter);
  }

  /** Lists the events of a user that a reader may see, newest first. */
  listOfAuthor(
    authorId: number,
    reader: Subject,
    request: PageRequest,
    filter: EventFilter,
  ): Promise<Page<ListedEvent>> {
    const parameters: unknown[] = [
      authorId,
      reader?.id ?? null,
      levelsShownTo(reader),
      reader?.admin ?? false,
    ];
    const conditions = [
      'event.author_id = $1',
      `(seen.code OR (${NOT_ON_CODE}))`,
      ...this.targets.conditionsAcross(),
      ...this.filterConditions(filter, parameters),
    ];
    const from = `
      FROM events event JOIN seen ON seen.id = event.project_id, ${READER}
     WHERE ${conditions.join(' AND ')}`;
    return this.page({ with: SEEN_PROJECTS, from: () => from, parameters }, request, filter);
  }

  /**
   * Lists the events of all projects that a reader is a member of, newest first. Of each project an index has the events in
   * order, so no more of them are read than the page needs.
   */
  listOfMember(
    reader: NonNullable<Subject>,
    request: PageRequest,
    filter: EventFilter,
  ): Promise<Page<ListedEvent>> {
    const parameters: unknown[] = [reader.id, reader.id, levelsShownTo(reader), reader.admin];
    const conditions = [
      'event.project_id = seen.id',
      `(seen.code OR (${NOT_ON_CODE}))`,
      ...this.targets.conditionsAcross(),
      ...this.filterConditions(filter, parameters),
    ];
    const from = (most: string): string => `
      FROM seen CROSS JOIN LATERAL (
        SELECT event.id FROM events event, ${READER} WHERE ${conditions.join(' AND ')}
         ORDER BY ${orderOf(filter)} LIMIT ${most}) event`;
    return this.page({ with: MEMBER_PROJECTS, from, parameters }, request, filter);
  }

  /** Loads what was left out. */
  async withPushedRefs(events: readonly ListedEvent[]): Promise<ListedEvent[]> {
    const lacking = events.filter(
      ({ pushedRef, pushedRefBytes }) => pushedRef === null && pushedRefBytes > 0,
    );
    if (lacking.length === 0) return [...events];
    const rows = await this.database.rows<Pick<ListedEvent, 'id' | 'pushedRef'>>(
      'SELECT id, pushed_ref AS "pushedRef" FROM events WHERE id = ANY($1)',
      [lacking.map(({ id }) => id)],
    );
    const loaded = new Map(rows.map(({ id, pushedRef }) => [id, pushedRef]));
    return events.map((event) => ({
      ...event,
      pushedRef: event.pushedRef ?? loaded.get(event.id) ?? null,
    }));
  }

  /** @param parameters of the statement; gets those of the conditions */
  private filterConditions(
    { actions, exceptActions, targetType, since, until }: EventFilter,
    parameters: unknown[],
  ): string[] {
    const bind = (value: unknown): string => placeholder(parameters.push(value));
    return [
      ...(actions === undefined ? [] : [`event.action = ANY(${bind(actions)}::text[])`]),
      ...(exceptActions === undefined
        ? []
        : [`event.action <> ALL(${bind(exceptActions)}::text[])`]),
      ...(targetType === undefined
        ? []
        : [`event.target_type = ANY(${bind(this.targets.typesShownAs(targetType))}::text[])`]),
      ...(since === undefined ? [] : [`event.created_at >= ${bind(since)}`]),
      ...(until === undefined ? [] : [`event.created_at < ${bind(until)}`]),
    ];
  }

  private async page(
    { with: prefix, from, parameters }: Feed,
    request: PageRequest,
    filter: EventFilter,
  ): Promise<Page<ListedEvent>> {
    const order = orderOf(filter);
    const [limit, offset] = [parameters.length + 1, parameters.length + 2].map(placeholder);
    const rowsOfPage = from(`${limit}::bigint + ${offset}::bigint`);
    // Selects the IDs first, which needs only an index: the rows hold the commits of pushes.
    const rows = await this.database.rows<ListedEvent>(
      `${prefix}
       SELECT event.id, ${COLUMNS}, ${pushedRef(order)} FROM events event WHERE event.id IN (
         SELECT event.id ${rowsOfPage} ORDER BY ${order} LIMIT ${limit} OFFSET ${offset})
        ORDER BY ${order}`,
      [...parameters, windowOf(request).limit, windowOf(request).offset],
    );
    const all = `${prefix} SELECT 1 ${from(String(COUNTED_ITEMS + 1))}`;
    const counted = await boundedCount(this.database, all, parameters);
    return Page.cut(rows, counted, request);
  }
}

const orderOf = ({ isAscending = false }: EventFilter): string =>
  `event.id ${isAscending ? 'ASC' : 'DESC'}`;

const placeholder = (position: number): string => `$${String(position)}`;

/** Returns the visibility levels of the projects that a reader sees without being a member. */
function levelsShownTo(reader: Subject): readonly number[] {
  return reader?.admin === true ? ALL_LEVELS : visibleLevels(reader);
}
