import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PLANNED } from '../../src/platform/database/parameters.js';
import { INDEX_ORDER } from '../../src/platform/database/statements.js';
import {
  copyDatabase,
  createDatabase,
  superuserUrl,
  type TestDatabase,
} from '../support/database.js';
import type { RanStatement } from '../support/statements.js';
import { Trellis } from '../support/trellis.js';
import { GROWN, growthStatements } from './support/plans/growth.js';
import { type ExecutedStatement, Replay } from './support/plans/replay.js';
import { plannedCalls, unversioned } from './support/plans/requests.js';
import { foundInstance } from './support/plans/young-instance.js';

jest.setTimeout(300_000);

interface RecordedStatement extends RanStatement {
  readonly handler: string;
  readonly request: string;
  /** Whether the request names what it wants: it neither filters nor chooses among all that the caller sees. */
  readonly isNamed: boolean;
  readonly settings: string | null;
}

/**
 * Requests that choose among the rows that a caller sees (a release among milestones of its project), or that belong to what they change. Names of a
 * group are compared with those of its projects.
 */
const CHOOSING =
  /^(AuditEvents|DeployKeys|Events|GroupProjects|Groups|Namespaces|ProjectEvents|UserEvents|ProjectLists|MergeRequestLists\.(everywhere|of(Group|Milestone))|Todos|Milestones\.list|IssueLists\.(everywhere|ofGroup|own)|IssueStatistics\.(everywhere|ofGroup)|Topics\.list|Transfers\.listLocations|UserMemberships|IssueMoves|Projects\.(update|delete)|Forks\.unrelate|Releases\.(create|update)|GroupLabels|GroupMilestones|(Labels|Milestones)\.promote|Transfers\.transfer)/;

/** How often each text is executed, with the parameters of different requests. */
const USES = 2;

describe('plans without statistics', () => {
  let trellis: Trellis;
  let young: TestDatabase;
  let growth: string[];
  let recorded: RecordedStatement[];

  beforeAll(async () => {
    const database = await createDatabase();
    const dataDir = await mkdtemp(path.join(tmpdir(), 'trellis-e2e-'));
    trellis = await Trellis.start({
      because: 'data of another instance',
      data: { database, dataDir },
    });
    const instance = await foundInstance(trellis);
    young = await copyDatabase(database);
    growth = growthStatements(instance);
    for (const statement of growth) await trellis.rows(statement);
    await trellis.rows('VACUUM ANALYZE');
    recorded = await recordStatements(trellis, plannedCalls(instance));
  });
  afterAll(async () => {
    await trellis.stop();
    await young.drop();
  });

  it('reads rows by their keys from tables of 1,000 rows', async () => {
    const copy = await copyDatabase(young);
    const replay = await Replay.withoutStatistics(superuserUrl(copy), 'custom');
    try {
      await replay.apply(growth);
      expect(await wastefulStatements(replay, recorded)).toEqual([]);
    } finally {
      await replay.end();
      await copy.drop();
    }
  });

  it('reads rows by their keys with a plan from before the tables grew a thousandfold', async () => {
    const replay = await Replay.withoutStatistics(superuserUrl(young), 'generic');
    const kept = recorded.filter(
      ({ sql, parameters }) => parameters.length > 0 && !sql.includes(PLANNED),
    );
    try {
      for (const statement of kept) await replay.run(statement, statement.settings);
      await replay.apply(growth);
      expect(await wastefulStatements(replay, kept)).toEqual([]);
    } finally {
      await replay.end();
    }
  });
});

/** Sends requests and records their statements, each text with the parameters of the first few. */
async function recordStatements(
  trellis: Trellis,
  calls: ReturnType<typeof plannedCalls>,
): Promise<RecordedStatement[]> {
  const recorded: RecordedStatement[] = [];
  const uses = new Map<string, number>();
  for (const { face, handler, verb, path: at, body, caller } of calls) {
    const client = (caller === null ? trellis.anonymous : trellis.as(caller)).at(face);
    const ran = await trellis.statements.ran(async () => {
      const call = client.call(verb, at);
      await (body === undefined ? call : call.send(body));
    });
    ran.forEach(({ sql, parameters }, index) => {
      const use = uses.get(sql) ?? 0;
      if (use === USES || sql === INDEX_ORDER || !readsRows(sql)) return;
      uses.set(sql, use + 1);
      recorded.push({
        ...{ sql, parameters, handler, request: `${handler} ${verb} ${at}` },
        isNamed: !at.includes('?') && !CHOOSING.test(unversioned(handler)),
        settings: ran[index - 1]?.sql === INDEX_ORDER ? INDEX_ORDER : null,
      });
    });
  }
  return recorded;
}

const readsRows = (sql: string): boolean =>
  /^\s*(\/\*.*?\*\/)?\s*(SELECT|WITH|INSERT|UPDATE|DELETE)/i.test(sql);

async function wastefulStatements(
  replay: Replay,
  statements: readonly RecordedStatement[],
): Promise<string[]> {
  const wasteful: string[] = [];
  for (const statement of statements) {
    const once = await replay.run(statement, statement.settings);
    if (once.every((executed) => isFrugal(executed, statement))) continue;
    // A statement that finds a page of an index full looks up its entries, many of which were rolled back here: not twice in a row.
    for (const executed of await replay.run(statement, statement.settings)) {
      if (isFrugal(executed, statement)) continue;
      const { answered, rows, buffers, scans, sql } = executed;
      const read = `${String(rows)} rows and ${String(buffers)} buffers for ${String(answered)}`;
      wasteful.push(`${statement.request} reads ${read} (${scans}): ${sql}`);
    }
  }
  return wasteful;
}

/**
 * Whether a statement reads at most ten rows for each that it answers, each with the buffers that it takes to look it up or to
 * write it, and those to find them. A list that chooses among rows may read each of those a dozen times, not once for each other.
 */
function isFrugal(
  { answered, rows, buffers }: ExecutedStatement,
  { isNamed }: RecordedStatement,
): boolean {
  return isNamed
    ? rows <= 10 * answered + 100 && buffers <= 40 * answered + 100
    : rows <= 20 * GROWN && buffers <= 50 * GROWN;
}
