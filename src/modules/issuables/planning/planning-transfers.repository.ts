import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { lockNames } from './planning.sql.js';

/** A project that has left a namespace for another one. */
export interface MovedProject {
  readonly id: number;
  readonly from: number;
  readonly to: number;
}

/** The labels of the group $2 that issues and merge requests of the project $1 have. */
const USED_LABELS = `
  SELECT l.id, l.name, l.color, l.description FROM labels l
   WHERE l.group_id = $2 AND EXISTS (
     SELECT FROM label_links link WHERE link.project_id = $1 AND link.label_id = l.id OFFSET 0)`;

/**
 * The labels that take the place of others, by their names.
 * @param source selects the others @param owners conditions on the owners of the new ones
 */
const replaced = (source: string, owners: readonly string[]): string => `
  SELECT old.id AS old_id, new.id AS new_id, new.group_id AS new_group_id, old.priority
    FROM (${source}) old CROSS JOIN LATERAL (${ofName('labels', 'name', owners)}) new`;

/** Selects the rows of owners that have the name of `old`. */
const ofName = (table: string, name: string, owners: readonly string[]): string =>
  owners
    .map((owner) => `SELECT * FROM ${table} WHERE ${owner} AND ${name} = old.${name}`)
    .join(' UNION ALL ');

/** @param links a condition on the links to the old labels */
const relink = (links: string): string => `
  UPDATE label_links link
     SET label_id = r.new_id, project_id = CASE WHEN r.new_group_id IS NOT NULL THEN $1::int END
    FROM replaced r
   WHERE link.label_id = r.old_id AND ${links}
     AND NOT EXISTS (
       SELECT FROM label_links other
        WHERE other.target_type = link.target_type AND other.target_id = link.target_id
          AND other.label_id = r.new_id OFFSET 0)`;

// The trigger leaves out the labels whose names the new group has.
const COPY_LABELS = `
  INSERT INTO labels (project_id, name, color, description, priority)
  SELECT $1, used.name, used.color, used.description, p.priority
    FROM (${USED_LABELS}) used
    LEFT JOIN label_priorities p ON p.label_id = used.id AND p.project_id = $1
   ORDER BY used.name
  ON CONFLICT DO NOTHING`;

/** @param $1 project @param $2 the group it has left @param $3 the one it has entered */
const LEAVE_LABELS = `
  WITH replaced AS (${replaced(`SELECT *, NULL::int AS priority FROM (${USED_LABELS}) used`, ['project_id = $1', 'group_id = $3'])})
  ${relink('link.project_id = $1')}`;

/** As `LEAVE_LABELS`: the labels that were copied have theirs already. */
const LEAVE_PRIORITIES = `
  INSERT INTO label_priorities (label_id, project_id, priority)
  SELECT new.id, $1, old.priority
    FROM (SELECT l.name, p.priority FROM label_priorities p
            JOIN labels l ON l.id = p.label_id AND l.group_id = $2
           WHERE p.project_id = $1) old
   CROSS JOIN LATERAL (${ofName('labels', 'name', ['group_id = $3'])}) new
  ON CONFLICT DO NOTHING`;

const FORGET_LABELS = `
  DELETE FROM label_links link USING labels l
   WHERE link.project_id = $1 AND l.id = link.label_id AND l.group_id = $2`;

const FORGET_PRIORITIES = `
  DELETE FROM label_priorities p USING labels l
   WHERE p.project_id = $1 AND l.id = p.label_id AND l.group_id = $2`;

/** The labels of the project $1 whose names the group $2 has. */
const OWN_LABELS = `
  SELECT own.id, own.name, own.priority FROM labels own
   WHERE own.project_id = $1
     AND EXISTS (
       SELECT FROM labels theirs WHERE theirs.group_id = $2 AND theirs.name = own.name OFFSET 0)`;

const ENTER_LABELS = `
  WITH replaced AS (${replaced(OWN_LABELS, ['group_id = $2'])}
  ), prioritized AS (
    INSERT INTO label_priorities (label_id, project_id, priority)
    SELECT new_id, $1, priority FROM replaced WHERE priority IS NOT NULL
    ON CONFLICT DO NOTHING)
  ${relink('link.project_id IS NULL')}`;

const DROP_SUBSCRIPTIONS = `
  DELETE FROM subscriptions WHERE target_type = 'Label' AND target_id IN (
    SELECT id FROM (${OWN_LABELS}) own)`;

const DROP_LABELS = `DELETE FROM labels WHERE id IN (SELECT id FROM (${OWN_LABELS}) own)`;

/** The milestones of the group $2 that issues, merge requests and releases of the project $1 have. */
const USED_MILESTONES = `
  SELECT m.* FROM milestones m
   WHERE m.group_id = $2 AND (
     EXISTS (SELECT FROM issues WHERE project_id = $1 AND milestone_id = m.id OFFSET 0)
     OR EXISTS (SELECT FROM merge_requests WHERE milestone_id = m.id AND project_id = $1 OFFSET 0)
     OR EXISTS (SELECT FROM release_milestones s JOIN releases r ON r.id = s.release_id
                 WHERE s.milestone_id = m.id AND r.project_id = $1 OFFSET 0))`;

/** Those whose titles the group $3 lacks, with numbers that follow those of the project. */
const COPY_MILESTONES = `
  WITH missing AS (
    SELECT used.*, row_number() OVER (ORDER BY used.iid)::int AS position
      FROM (${USED_MILESTONES}) used
     WHERE NOT EXISTS (SELECT FROM milestones theirs
                        WHERE theirs.group_id = $3 AND theirs.title = used.title OFFSET 0)
       AND NOT EXISTS (SELECT FROM milestones own
                        WHERE own.project_id = $1 AND own.title = used.title OFFSET 0)
  ), numbers AS (
    INSERT INTO internal_ids (project_id, kind, last_iid)
    SELECT $1, 'Milestone', count(*) FROM missing HAVING count(*) > 0
    ON CONFLICT (project_id, kind) DO UPDATE SET last_iid = internal_ids.last_iid + excluded.last_iid
    RETURNING last_iid)
  INSERT INTO milestones (project_id, iid, title, description, state, due_date, start_date,
                          created_at, updated_at)
  SELECT $1, numbers.last_iid - (SELECT count(*)::int FROM missing) + position, title, description,
         state, due_date, start_date, created_at, updated_at
    FROM missing, numbers`;

/** Gives what has a milestone its replacement. @param pairs selects `old_id` and `new_id` */
const replaceMilestones = (pairs: string): string[] => [
  `UPDATE issues SET milestone_id = pair.new_id FROM (${pairs}) pair
    WHERE project_id = $1 AND milestone_id = pair.old_id`,
  `UPDATE merge_requests SET milestone_id = pair.new_id FROM (${pairs}) pair
    WHERE project_id = $1 AND milestone_id = pair.old_id`,
  `WITH removed AS (
     DELETE FROM release_milestones s USING releases r, (${pairs}) pair
      WHERE r.id = s.release_id AND r.project_id = $1 AND s.milestone_id = pair.old_id
     RETURNING s.release_id, pair.new_id)
   INSERT INTO release_milestones (release_id, milestone_id)
   SELECT release_id, new_id FROM removed ON CONFLICT DO NOTHING`,
];

const LEFT_MILESTONES = `
  SELECT old.id AS old_id, new.id AS new_id
    FROM (${USED_MILESTONES}) old
   CROSS JOIN LATERAL (${ofName('milestones', 'title', ['project_id = $1', 'group_id = $3'])}) new`;

/** The milestones of the project $1 whose titles the group $2 has. */
const ENTERED_MILESTONES = `
  SELECT old.id AS old_id, new.id AS new_id
    FROM (SELECT * FROM milestones WHERE project_id = $1) old
   CROSS JOIN LATERAL (${ofName('milestones', 'title', ['group_id = $2'])}) new`;

const DROP_MILESTONES = `
  DELETE FROM milestones WHERE id IN (SELECT old_id FROM (${ENTERED_MILESTONES}) pair)`;

/**
 * Keeps the labels and milestones of issues and merge requests when their project is transferred
 * (docs/decisions/0079-labels-and-milestones-of-groups.md).
 */
@Injectable()
export class PlanningTransfersRepository {
  constructor(private readonly database: Database) {}

  /** Locks the names of both namespaces; the project lies in the new one already. */
  async lock({ from, to }: MovedProject): Promise<void> {
    await lockNames(this.database, [from, to]);
  }

  /** Gives the project labels and milestones like those of its former group that are in use, unless its new group has them. */
  async leave({ id, from, to }: MovedProject): Promise<void> {
    await this.run([COPY_LABELS], [id, from]);
    await this.run([LEAVE_LABELS, LEAVE_PRIORITIES], [id, from, to]);
    await this.run([FORGET_LABELS, FORGET_PRIORITIES], [id, from]);
    await this.run([COPY_MILESTONES, ...replaceMilestones(LEFT_MILESTONES)], [id, from, to]);
  }

  /** Replaces the project's labels and milestones whose names its new group has by those of the group. */
  async enter({ id, to }: MovedProject): Promise<void> {
    await this.run([ENTER_LABELS, DROP_SUBSCRIPTIONS, DROP_LABELS], [id, to]);
    await this.run([...replaceMilestones(ENTERED_MILESTONES), DROP_MILESTONES], [id, to]);
  }

  private async run(statements: readonly string[], parameters: readonly unknown[]): Promise<void> {
    for (const statement of statements) await this.database.rows(statement, parameters);
  }
}
