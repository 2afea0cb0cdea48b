import { DataSource } from 'typeorm';
import {
  Level,
  type ProjectAccess,
  type ProjectRef,
} from '../../../src/modules/authorization/index.js';
import type { EventVisibility } from '../../../src/modules/feeds/index.js';
import {
  issueEventVisibility,
  mayRead as mayReadIssue,
  readableInSql as readableIssues,
} from '../../../src/modules/issues/model/issue.policy.js';
import { mergeRequestEventVisibility } from '../../../src/modules/merge-requests/model/merge-request.policy.js';
import {
  mayRead as mayReadMergeRequest,
  readableInSql as readableMergeRequests,
} from '../../../src/modules/merge-requests/model/merge-request.policy.js';
import { createDatabase, type TestDatabase } from '../../support/database.js';

const READER = 1;
const OTHER = 2;

const BOOLEANS = [false, true];

/** A reader with some access, and an issue or merge request. */
interface Situation {
  readonly level: number;
  readonly visible: boolean;
  readonly enabled: boolean;
  readonly confidential: boolean;
  readonly authorId: number;
  readonly assigneeIds: readonly number[];
}

const SITUATIONS: readonly Situation[] = Object.values(Level).flatMap((level) =>
  BOOLEANS.flatMap((visible) =>
    BOOLEANS.flatMap((enabled) =>
      BOOLEANS.flatMap((confidential) =>
        [READER, OTHER].flatMap((authorId) =>
          [[READER], [OTHER], [OTHER, READER], []].map((assigneeIds) => ({
            ...{ level, visible, enabled, confidential, authorId, assigneeIds },
          })),
        ),
      ),
    ),
  ),
);

const NAMES = { target: 't', reader: '$1::int', level: '$2::int', visible: '$3::boolean' };

/** The only issue and the only merge request, under the names of their tables, in one project. */
const ROWS = `
  WITH projects AS (SELECT 1 AS id, $4::boolean AS issues_enabled, $4::boolean AS merge_requests_enabled),
  issues AS (SELECT 1 AS id, 1 AS project_id, $5::boolean AS confidential, $6::int AS author_id,
                    $7::int[] AS assignee_ids, NULL::timestamptz AS deleted_at),
  merge_requests AS (SELECT * FROM issues),
  seen AS (SELECT projects.*, $2::int AS level, ($3::boolean OR $2::int >= ${String(Level.REPORTER)}) AS code
             FROM projects),
  reader AS (SELECT $1::int AS id)`;

const SHAPES = [
  {
    type: 'Issue',
    table: 'issues',
    hasConfidential: true,
    mayRead: mayReadIssue,
    readable: readableIssues(NAMES),
    visibility: issueEventVisibility('Issue', 'FROM issues i WHERE i.id = event.target_id'),
  },
  {
    type: 'MergeRequest',
    table: 'merge_requests',
    hasConfidential: false,
    mayRead: mayReadMergeRequest,
    readable: readableMergeRequests(NAMES),
    visibility: mergeRequestEventVisibility(
      'MergeRequest',
      'FROM merge_requests m WHERE m.id = event.target_id',
    ),
  },
] as const;

function accessOf({ level, visible, enabled }: Situation): ProjectAccess {
  const project = { id: 1, issuesEnabled: enabled, mergeRequestsEnabled: enabled };
  return { project: project as ProjectRef, level, visible };
}

describe.each(SHAPES)('who may read a $type', ({ type, table, hasConfidential, ...shape }) => {
  let testDatabase: TestDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    testDatabase = await createDatabase();
    dataSource = await new DataSource({ type: 'postgres', url: testDatabase.url }).initialize();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await testDatabase.drop();
  });

  const situations = SITUATIONS.filter(({ confidential }) => hasConfidential || !confidential);
  const reader = { id: READER, admin: false, external: false };

  const mayRead = (situation: Situation): boolean =>
    shape.mayRead(situation, accessOf(situation), reader);

  /** Whether a condition holds for the row, or the event, of a situation. */
  async function holds(from: string, condition: string, situation: Situation): Promise<boolean> {
    const { level, visible, enabled, confidential, authorId, assigneeIds } = situation;
    const [row] = await dataSource.query<{ holds: boolean }[]>(
      `${ROWS} SELECT EXISTS (SELECT 1 ${from} WHERE ${condition}) AS holds`,
      [READER, level, visible, enabled, confidential, authorId, assigneeIds],
    );
    return row!.holds;
  }

  const EVENT = `FROM (SELECT '${type}' AS target_type, 1 AS target_id, 1 AS project_id) event
    JOIN seen ON seen.id = event.project_id, reader`;

  async function mismatches(
    some: readonly Situation[],
    decide: (situation: Situation) => Promise<boolean>,
  ): Promise<Situation[]> {
    const different: Situation[] = [];
    for (const situation of some) {
      if ((await decide(situation)) !== mayRead(situation)) different.push(situation);
    }
    return different;
  }

  it('is the same in TypeScript and in SQL', async () => {
    expect(situations.filter(mayRead).length).toBeGreaterThan(10);
    expect(situations.filter((one) => !mayRead(one)).length).toBeGreaterThan(10);
    const decide = (one: Situation) => holds(`FROM ${table} t`, shape.readable, one);
    expect(await mismatches(situations, decide)).toEqual([]);
  });

  it('is the same for its events, to those who see the project', async () => {
    const { inProject, across }: EventVisibility = shape.visibility;
    const seeing = situations.filter(({ visible, level }) => visible || level > Level.VISITOR);
    const inOne = (one: Situation) => holds(EVENT, inProject(accessOf(one)) ?? 'true', one);
    expect(await mismatches(seeing, inOne)).toEqual([]);
    expect(await mismatches(seeing, (one) => holds(EVENT, across, one))).toEqual([]);
  });
});
