import {
  type EntityColumns,
  opaqueArray,
  opaqueValue,
  rowById,
  rowsWhere,
  rowsByIds,
} from '../../../platform/database/index.js';
import { authorsById, type SummarizedUser } from '../../users/index.js';
import { existingProject } from '../../authorization/index.js';
import { ISSUABLE_TABLES, type IssuableType } from '../model/issuable.js';
import type { Milestone } from '../planning/milestone.entity.js';
import { participates } from '../todos/subscriptions.repository.js';

/** The columns that are read of users and milestones. */
export interface RelatedColumns {
  readonly people: EntityColumns<SummarizedUser>;
  readonly milestones: EntityColumns<Milestone>;
}

/**
 * Whether a user is subscribed to an issue or merge request.
 * @param target alias of the kind's table
 * @param user column or expression that holds a user's ID, null for an anonymous reader
 */
export const isSubscribed = (target: string, type: IssuableType, user: string): string => `
  coalesce(
    (SELECT s.subscribed FROM subscriptions s
      WHERE s.target_type = '${type}' AND s.target_id = ${target}.id AND s.user_id = ${user}),
    ${participates(target, type, user)}, false)`;

/**
 * Selects one row: as JSON the rows of another statement, and each of their users, milestones and labels once; null where
 * there are none.
 * @param selected a statement with the columns of `SelectedColumns`; a materialized CTE keeps the order of its rows
 * @param count a query for one number
 */
export const withRelations = (
  selected: string,
  count: string,
  type: IssuableType,
  { people, milestones }: RelatedColumns,
): string => `
  WITH listed AS MATERIALIZED (${selected}),
       related AS MATERIALIZED (SELECT * FROM listed WHERE "hasRelations")
  SELECT (SELECT json_agg(listed) FROM listed) AS rows, (${count}) AS count,
         ${jsonList(`
           SELECT ${people.list('u')}
             FROM ${authorsById(`ARRAY(${peopleOf(type)})`)} u`)} AS people,
         ${jsonList(`
           SELECT ${milestones.list('milestone')}
             FROM ${rowsByIds('milestones', 'ARRAY(SELECT DISTINCT "milestoneId" FROM related)')} milestone`)} AS milestones,
         ${jsonList(`
           SELECT link.target_id AS "targetId", label.name
             FROM label_links link JOIN ${rowById('labels', 'link.label_id')} label ON true
            WHERE link.target_type = '${type}' AND link.target_id = ANY(ARRAY(SELECT id FROM related))
            ORDER BY label.name`)} AS labels`;

/** Selects the IDs of the authors, assignees and reviewers. */
const peopleOf = (type: IssuableType): string =>
  [
    'SELECT "authorId" FROM related',
    ...NAMED_PEOPLE[type].map((column) => `SELECT unnest("${column}") FROM related`),
  ].join(' UNION ');

const NAMED_PEOPLE = {
  Issue: ['assigneeIds'],
  MergeRequest: ['assigneeIds', 'reviewerIds'],
} as const;

const jsonList = (rows: string): string => `(SELECT json_agg(item) FROM (${rows}) item)`;

/**
 * Selects `SelectedColumns`s for issuables whose columns are known, with counters of 0 for those that are gone.
 * @param $1 IDs @param $2 authors @param $3 assignees, each list as a text @param $4 milestones
 * @param $5 the reader's user ID or null @param $6 reviewers, as assignees, for merge requests alone
 */
export const knownRows = (type: IssuableType): string => `
  SELECT known.id, known."authorId", known."assigneeIds"::int[] AS "assigneeIds", known."milestoneId",
         ${type === 'Issue' ? '' : 'known."reviewerIds"::int[] AS "reviewerIds",'} true AS "hasRelations",
         coalesce(t.upvotes, 0) AS upvotes, coalesce(t.downvotes, 0) AS downvotes,
         coalesce(t.user_notes_count, 0) AS "userNotesCount",
         ${isSubscribed('t', type, opaqueValue('$5', 'int'))} AS subscribed
    FROM unnest(${[
      ...['$1', '$2', '$4'].map((ids) => opaqueArray(ids, 'int')),
      ...(type === 'Issue' ? ['$3'] : ['$3', '$6']).map((lists) => opaqueArray(lists, 'text')),
    ].join(', ')})
         AS known (id, "authorId", "milestoneId", ${NAMED_PEOPLE[type].map((column) => `"${column}"`).join(', ')})
    LEFT JOIN ${rowById(ISSUABLE_TABLES[type], 'known.id')} t ON true`;

const ASKED = {
  id: 'id = asked.key',
  iid: 'project_id = asked.project_id AND iid = asked.key',
};

/**
 * Selects single issuables, each for a reader of its own, with the columns of `SelectedColumns` and `position`, from 1.
 * @param key what they are asked for by
 * @param columns those of the row `t`, its project `p` and its namespace `n`
 * @param $1 projects @param $2 IDs or numbers @param $3 user IDs of the readers, null for anonymous ones
 */
export const askedRows = (type: IssuableType, key: 'id' | 'iid', columns: string): string => `
  SELECT asked.position::int, ${columns}, true AS "hasRelations",
         ${isSubscribed('t', type, 'asked.reader_id')} AS subscribed
    FROM unnest(${['$1', '$2', '$3'].map((ids) => opaqueArray(ids, 'int')).join(', ')})
         WITH ORDINALITY AS asked (project_id, key, reader_id, position)
    JOIN ${rowsWhere(ISSUABLE_TABLES[type], ASKED[key])} t
      ON t.project_id = asked.project_id AND t.deleted_at IS NULL
    ${existingProject('t.project_id')}`;
