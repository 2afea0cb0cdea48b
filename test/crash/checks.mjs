// Whether database, repositories and what the clients were told agree, once all is at rest.
import { missingConsequences, readState, withDatabase } from './database.mjs';
import { call } from './creators.mjs';
import { ZERO } from './ledger.mjs';
import { until } from './processes.mjs';
import { checkRepository, findRepositories, readRefs } from './repositories.mjs';

const SETTLE_MS = 90_000;
const DRAIN_MS = 180_000;

/**
 * Checks everything but the objects of repositories that nobody has touched since the last time.
 * @param touched ids of the projects whose repositories are looked through
 * @returns what is wrong, and the refs of the touched projects
 */
export async function checkAll(service, ledger, touched) {
  return withDatabase(service, async (rows) => {
    const settled = await until(() => intentsAreGone(rows), SETTLE_MS, 200);
    const state = await readState(rows);
    const repositories = await findRepositories(service.dataDir);
    const live = state.projects.filter(({ deleted }) => !deleted);
    const values = new Map();
    const problems = settled ? [] : ['push_intents is not emptied'];
    for (const project of live.filter(({ id }) => touched.has(id))) {
      const { path } = repositories.byId.get(project.id) ?? {};
      if (path === undefined) continue;
      const refs = await readRefs(path);
      values.set(project.id, refs);
      problems.push(...(await checkRepository(project, path, refs)));
      if (ledger.unwatched.has(project.id)) continue;
      problems.push(...checkRefs(project.id, ledger, refs));
      problems.push(...checkChains(project.id, ledger, eventsOf(state, project), refs));
    }
    problems.push(...checkProjects(state, ledger, repositories));
    problems.push(...(await missingConsequences(rows)), ...(await checkAnswers(service, ledger)));
    return { problems, values };
  });
}

/**
 * Waits until every job is done and every deleted project is gone; what is left is wrong.
 * @param gitDied whether git was killed, too: the locks it leaves stand for an hour, and so long
 *   housekeeping may have to wait
 * @returns what is wrong, and the projects whose housekeeping waits
 */
export async function checkDrained(service, gitDied) {
  const isHeldUp = ({ name, error }) =>
    gitDied && name === 'tidy-repository' && /\.lock': File exists/.test(error ?? '');
  return withDatabase(service, async (rows) => {
    const left = () => rows(`SELECT id, name, payload, attempts, error FROM outbox`);
    // Those that wait for more of their kind to come need not.
    await rows('UPDATE outbox SET run_at = now() WHERE attempts = 0 AND enqueued_at IS NULL');
    await until(async () => (await left()).every(isHeldUp), DRAIN_MS, 500);
    const jobs = await left();
    const deleted = await rows('SELECT id FROM projects WHERE deleted_at IS NOT NULL');
    return {
      problems: [
        ...jobs.filter((job) => !isHeldUp(job)).map((job) => `left: ${JSON.stringify(job)}`),
        ...deleted.map(({ id }) => `project ${id}: deleted, but its row is left`),
      ],
      heldUp: new Set(jobs.filter(isHeldUp).map(({ payload }) => payload.projectId)),
    };
  });
}

const intentsAreGone = async (rows) =>
  (await rows('SELECT 1 FROM push_intents i JOIN projects p ON p.id = i.project_id')).length === 0;

const eventsOf = (state, { id }) => state.events.filter(({ projectId }) => projectId === id);

function checkRefs(projectId, ledger, refs) {
  const problems = [];
  for (const ref of new Set([...ledger.refsOf(projectId), ...refs.keys()])) {
    const value = refs.get(ref) ?? ZERO;
    if (!ledger.allows(projectId, ref, value)) {
      const tried = ledger.updatesOf(projectId, ref).map((each) => `${each.value} ${each.state}`);
      problems.push(
        `project ${projectId}: ${ref} is ${value}, tried: ${tried.slice(-4).join(', ')}`,
      );
    }
  }
  return problems;
}

/** The events of a ref lead from its creation to its present value, one for each change. */
function checkChains(projectId, ledger, events, refs) {
  const problems = [];
  const chains = groupByRef(events);
  for (const ref of new Set([...chains.keys(), ...refs.keys()])) {
    let value = ZERO;
    for (const { id, pushedRef } of chains.get(ref) ?? []) {
      const { oldOid, newOid } = pushedRef;
      if (oldOid !== value) {
        problems.push(
          `project ${projectId}: event ${id} of ${ref} goes from ${oldOid} to ${newOid}, but the ref was at ${value}`,
        );
      }
      if (oldOid === newOid) problems.push(`event ${id} of ${ref} changes nothing`);
      value = newOid;
    }
    if (value !== (refs.get(ref) ?? ZERO)) {
      problems.push(
        `project ${projectId}: ${ref} is at ${refs.get(ref) ?? ZERO}, by its events at ${value}`,
      );
    }
    const seen = new Set((chains.get(ref) ?? []).map(({ pushedRef }) => pushedRef.newOid));
    for (const update of ledger.updatesOf(projectId, ref)) {
      if (update.state === 'acknowledged' && !seen.has(update.value)) {
        problems.push(`project ${projectId}: no event tells of ${ref} becoming ${update.value}`);
      }
    }
  }
  return problems;
}

function groupByRef(events) {
  const groups = new Map();
  for (const event of events) {
    const { ref } = event.pushedRef;
    groups.set(ref, [...(groups.get(ref) ?? []), event]);
  }
  return groups;
}

function checkProjects({ projects, created }, ledger, repositories) {
  const problems = [...repositories.problems];
  const rows = new Map(projects.map((project) => [project.id, project]));
  for (const { id, deleted } of projects) {
    if (!deleted && !repositories.byId.has(id)) problems.push(`project ${id} has no repository`);
    const count = created.find(({ projectId }) => projectId === id)?.count ?? 0;
    // What a deleted project leaves goes piece by piece, its row last.
    const isRight = count === 1 || (deleted && count === 0);
    if (!isRight) problems.push(`project ${id} has ${count} events of its creation`);
  }
  for (const [name, { state, id }] of ledger.creations) {
    if (state !== 'there' || ledger.deletions.has(id)) continue;
    if (rows.get(id)?.deleted !== false) problems.push(`${name} was acknowledged and is not there`);
  }
  const unknown = [...ledger.creations.values()].filter(({ state }) => state === 'unknown').length;
  const orphans = [...repositories.byId].filter(([id]) => !rows.has(id));
  const most = unknown + ledger.begunTwice;
  if (orphans.length > most) {
    problems.push(`${orphans.length} repositories without project, of at most ${most}`);
  }
  for (const [id, { path, packs }] of orphans) {
    if (packs > 0) problems.push(`${path} belongs to no project ${id} but holds objects`);
  }
  return problems;
}

/** What was deleted is gone for good, as clients see it. */
async function checkAnswers(service, ledger) {
  const problems = [];
  for (const [id, state] of ledger.deletions) {
    if (state !== 'gone') continue;
    const answer = await call('GET', `${service.url}/api/v3/projects/${id}`);
    if (answer?.status !== 404) {
      problems.push(`project ${id} was deleted, but reading it answers ${answer?.status}`);
    }
  }
  for (const [name, { state, id }] of ledger.creations) {
    if (state !== 'there' || ledger.deletions.has(id)) continue;
    const answer = await call('GET', `${service.url}/api/v3/projects/${id}`);
    if (answer?.body?.name !== name) {
      problems.push(`project ${id} was made, but reading it answers ${answer?.status}`);
    }
  }
  return problems;
}
