import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Counters of notes and votes on each issue and merge request, and of these by state in each project. Triggers
 * maintain them, also for statements of an older version beside (docs/decisions/0042-kept-counters.md). The next
 * migration counts the notes and votes that are there already.
 */
export class KeptCounters1795738400000 implements MigrationInterface {
  readonly name = 'KeptCounters1795738400000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [
      // Together and first: nothing is written between counting and the triggers, nor by a transaction that waits.
      'LOCK TABLE issues, merge_requests, award_emoji, notes, issue_counts IN ACCESS EXCLUSIVE MODE',
      ...[COUNTERS('issues'), COUNTERS('merge_requests'), CLOSED, MERGE_REQUEST_COUNTS],
      ...[COUNT_NOTES, COUNT_VOTES, COUNT_ISSUES, COUNT_ISSUE_CHANGE],
      ...[COUNT_MERGE_REQUESTS, COUNT_MERGE_REQUEST_CHANGE, IGNORE_OLDER_COUNTS, TRIGGERS],
      ...['DELETE FROM issue_counts', FILL_ISSUE_COUNTS, FILL_MERGE_REQUEST_COUNTS],
      CLOSED_REQUIRED,
    ]) {
      await runner.query(statement);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DROP);
  }
}

const COUNTERS = (table: string): string => `
  ALTER TABLE ${table}
    ADD COLUMN user_notes_count int NOT NULL DEFAULT 0,
    ADD COLUMN upvotes int NOT NULL DEFAULT 0,
    ADD COLUMN downvotes int NOT NULL DEFAULT 0`;

const CLOSED = 'ALTER TABLE issue_counts ADD COLUMN closed int, ADD COLUMN closed_confidential int';

// Without a default: a row that lacks them is an addition by an older version.
const CLOSED_REQUIRED = `
  ALTER TABLE issue_counts
    ALTER COLUMN closed SET NOT NULL,
    ALTER COLUMN closed_confidential SET NOT NULL`;

const MERGE_REQUEST_COUNTS = `
  CREATE TABLE merge_request_counts (
    project_id int NOT NULL,
    opened int NOT NULL,
    closed int NOT NULL,
    merged int NOT NULL,
    CONSTRAINT merge_request_counts_pkey PRIMARY KEY (project_id),
    CONSTRAINT merge_request_counts_project_fkey
      FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE
  )`;

/**
 * A trigger function for the rows that one statement has inserted or deleted. It updates each issue and merge request
 * once and by its ID, in the order of locks: a statement may copy the notes of a whole issue.
 * @param counted selects `type`, `id` and the columns of the update from the transition table `changed`
 * @param update the SET clause, in which `step` is 1 or -1
 */
const countOnTargets = (name: string, counted: string, update: string): string => `
  CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    step int := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
    target record;
  BEGIN
    FOR target IN ${counted} GROUP BY 1, 2 ORDER BY 1, 2 LOOP
      IF target.type = 'Issue' THEN
        UPDATE issues t SET ${update} WHERE t.id = target.id;
      ELSE
        UPDATE merge_requests t SET ${update} WHERE t.id = target.id;
      END IF;
    END LOOP;
    RETURN NULL;
  END $$`;

const COUNT_NOTES = countOnTargets(
  'count_notes',
  `SELECT noteable_type AS type, noteable_id AS id, count(*)::int AS notes
     FROM changed WHERE NOT system`,
  'user_notes_count = t.user_notes_count + step * target.notes',
);

const COUNT_VOTES = countOnTargets(
  'count_votes',
  `SELECT awardable_type AS type, awardable_id AS id,
          (count(*) FILTER (WHERE name = 'thumbsup'))::int AS up,
          (count(*) FILTER (WHERE name = 'thumbsdown'))::int AS down
     FROM changed
    WHERE awardable_type IN ('Issue', 'MergeRequest') AND name IN ('thumbsup', 'thumbsdown')`,
  'upvotes = t.upvotes + step * target.up, downvotes = t.downvotes + step * target.down',
);

const addToIssueCounts = (values: string): string => `
  INSERT INTO issue_counts AS c
         (project_id, opened, opened_confidential, closed, closed_confidential)
  VALUES (${values})
  ON CONFLICT (project_id) DO UPDATE
     SET opened = c.opened + excluded.opened,
         opened_confidential = c.opened_confidential + excluded.opened_confidential,
         closed = c.closed + excluded.closed,
         closed_confidential = c.closed_confidential + excluded.closed_confidential`;

const addToMergeRequestCounts = (values: string): string => `
  INSERT INTO merge_request_counts AS c (project_id, opened, closed, merged)
  VALUES (${values})
  ON CONFLICT (project_id) DO UPDATE
     SET opened = c.opened + excluded.opened, closed = c.closed + excluded.closed,
         merged = c.merged + excluded.merged`;

const ISSUE_COUNTERS = `
  (count(*) FILTER (WHERE state = 'opened'))::int AS opened,
  (count(*) FILTER (WHERE state = 'opened' AND confidential))::int AS opened_confidential,
  (count(*) FILTER (WHERE state = 'closed'))::int AS closed,
  (count(*) FILTER (WHERE state = 'closed' AND confidential))::int AS closed_confidential`;

const MERGE_REQUEST_COUNTERS = `
  (count(*) FILTER (WHERE state IN ('opened', 'reopened')))::int AS opened,
  (count(*) FILTER (WHERE state = 'closed'))::int AS closed,
  (count(*) FILTER (WHERE state = 'merged'))::int AS merged`;

const countInserted = (name: string, counters: string, add: string): string => `
  CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    added record;
  BEGIN
    FOR added IN SELECT project_id, ${counters} FROM changed WHERE deleted_at IS NULL
                  GROUP BY 1 ORDER BY 1 LOOP
      ${add};
    END LOOP;
    RETURN NULL;
  END $$`;

const COUNT_ISSUES = countInserted(
  'count_issues',
  ISSUE_COUNTERS,
  addToIssueCounts(
    'added.project_id, added.opened, added.opened_confidential, added.closed, added.closed_confidential',
  ),
);

const COUNT_MERGE_REQUESTS = countInserted(
  'count_merge_requests',
  MERGE_REQUEST_COUNTERS,
  addToMergeRequestCounts('added.project_id, added.opened, added.closed, added.merged'),
);

/** The number, 1, 0 or -1, that a change adds to the rows that fulfil a condition. @param is says it of `r` */
const difference = (is: (row: string) => string): string =>
  ['new', 'old'].map((row) => `(${row}.deleted_at IS NULL AND ${is(row)})::int`).join(' - ');

const COUNT_ISSUE_CHANGE = `
  CREATE FUNCTION count_issue_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    ${addToIssueCounts(`
      new.project_id,
      ${difference((row) => `${row}.state = 'opened'`)},
      ${difference((row) => `${row}.state = 'opened' AND ${row}.confidential`)},
      ${difference((row) => `${row}.state = 'closed'`)},
      ${difference((row) => `${row}.state = 'closed' AND ${row}.confidential`)}`)};
    RETURN NULL;
  END $$`;

const COUNT_MERGE_REQUEST_CHANGE = `
  CREATE FUNCTION count_merge_request_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    ${addToMergeRequestCounts(`
      new.project_id,
      ${difference((row) => `${row}.state IN ('opened', 'reopened')`)},
      ${difference((row) => `${row}.state = 'closed'`)},
      ${difference((row) => `${row}.state = 'merged'`)}`)};
    RETURN NULL;
  END $$`;

const IGNORE_OLDER_COUNTS = `
  CREATE FUNCTION ignore_older_issue_counts() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RETURN NULL;
  END $$`;

const onStatement = (name: string, table: string, event: string, call: string): string => `
  CREATE TRIGGER ${name} AFTER ${event} ON ${table}
    REFERENCING ${event === 'INSERT' ? 'NEW' : 'OLD'} TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION ${call}()`;

const TRIGGERS = [
  onStatement('notes_added_count', 'notes', 'INSERT', 'count_notes'),
  onStatement('notes_removed_count', 'notes', 'DELETE', 'count_notes'),
  onStatement('award_emoji_added_count', 'award_emoji', 'INSERT', 'count_votes'),
  onStatement('award_emoji_removed_count', 'award_emoji', 'DELETE', 'count_votes'),
  onStatement('issues_added_count', 'issues', 'INSERT', 'count_issues'),
  onStatement('merge_requests_added_count', 'merge_requests', 'INSERT', 'count_merge_requests'),
  `CREATE TRIGGER issues_changed_count AFTER UPDATE ON issues FOR EACH ROW
     WHEN ((old.state, old.confidential, old.deleted_at)
           IS DISTINCT FROM (new.state, new.confidential, new.deleted_at))
     EXECUTE FUNCTION count_issue_change()`,
  `CREATE TRIGGER merge_requests_changed_count AFTER UPDATE ON merge_requests FOR EACH ROW
     WHEN ((old.state, old.deleted_at) IS DISTINCT FROM (new.state, new.deleted_at))
     EXECUTE FUNCTION count_merge_request_change()`,
  `CREATE TRIGGER issue_counts_older BEFORE INSERT ON issue_counts FOR EACH ROW
     WHEN (new.closed IS NULL) EXECUTE FUNCTION ignore_older_issue_counts()`,
].join(';');

const FILL_ISSUE_COUNTS = `
  INSERT INTO issue_counts (project_id, opened, opened_confidential, closed, closed_confidential)
  SELECT project_id, ${ISSUE_COUNTERS}
    FROM issues WHERE deleted_at IS NULL GROUP BY project_id`;

const FILL_MERGE_REQUEST_COUNTS = `
  INSERT INTO merge_request_counts (project_id, opened, closed, merged)
  SELECT project_id, ${MERGE_REQUEST_COUNTERS}
    FROM merge_requests WHERE deleted_at IS NULL GROUP BY project_id`;

const DROP = `
  DROP TABLE merge_request_counts;
  DROP TRIGGER issue_counts_older ON issue_counts;
  DROP TRIGGER merge_requests_changed_count ON merge_requests;
  DROP TRIGGER issues_changed_count ON issues;
  DROP TRIGGER merge_requests_added_count ON merge_requests;
  DROP TRIGGER issues_added_count ON issues;
  DROP TRIGGER award_emoji_removed_count ON award_emoji;
  DROP TRIGGER award_emoji_added_count ON award_emoji;
  DROP TRIGGER notes_removed_count ON notes;
  DROP TRIGGER notes_added_count ON notes;
  DROP FUNCTION ignore_older_issue_counts, count_merge_request_change, count_merge_requests,
    count_issue_change, count_issues, count_votes, count_notes;
  ALTER TABLE issue_counts DROP COLUMN closed_confidential, DROP COLUMN closed;
  ALTER TABLE merge_requests
    DROP COLUMN downvotes, DROP COLUMN upvotes, DROP COLUMN user_notes_count;
  ALTER TABLE issues
    DROP COLUMN downvotes, DROP COLUMN upvotes, DROP COLUMN user_notes_count`;
