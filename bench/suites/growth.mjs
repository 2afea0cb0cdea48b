import { Instance } from '../growth/instance.mjs';
import { SAMPLE } from '../growth/rows.mjs';
import { takeTurns, timed } from '../rounds.mjs';

const SMALL = { projects: 1_000, users: 200, groups: 50 };
const LARGE = { projects: 100_000, users: 20_000, groups: 5_000 };
const REQUESTS = 40;
const WARM_UP = 20;

/** First pages, by whom they are asked for. */
const LISTS = {
  reader: [
    '/projects',
    '/projects?order_by=name&sort=asc',
    '/projects?search=copper',
    '/projects/owned',
    '/projects/starred',
    '/projects/visible',
    '/projects/visible?order_by=last_activity_at',
    '/projects/visible?order_by=name&sort=asc',
    '/projects/visible?visibility=public',
    '/projects/visible?archived=true',
    '/projects/visible?search=copper',
    '/projects/visible?search=zzz',
    '/projects/search/copper',
    '/groups',
    '/groups?all_available=true',
    '/groups?all_available=true&search=copper',
    '/groups/owned',
    '/namespaces',
    '/users',
    '/users?search=copper',
    `/projects/${SAMPLE.project}/events`,
    `/projects/${SAMPLE.project}/members`,
    `/projects/${SAMPLE.project}/users`,
    `/groups/${SAMPLE.group}/projects`,
    `/groups/${SAMPLE.group}/members`,
    `/users/${SAMPLE.user}/events`,
  ],
  admin: [
    '/projects/all',
    '/projects/all?order_by=updated_at',
    '/projects/all?search=copper',
    '/projects/search/copper',
    '/groups',
    '/groups?order_by=path&sort=desc',
    '/users',
    '/users?blocked=true',
    '/users?search=copper',
    '/namespaces',
    '/namespaces?search=copper',
  ],
};

/**
 * How much longer a first page takes in a large instance than in a small one, one request at a time.
 */
export async function measureGrowth({ folder, options, progress, database }) {
  progress.step('growth: a small instance');
  const small = await Instance.start({ folder, database, name: 'small', scale: SMALL });
  progress.step('growth: a large instance');
  const large = await Instance.start({ folder, database, name: 'large', scale: LARGE });
  const outcomes = [];
  for (const [who, routes] of Object.entries(LISTS)) {
    for (const route of routes.filter((each) => each.includes(options.match))) {
      outcomes.push(await measureList({ small, large, options, progress }, who, route));
    }
  }
  await Promise.all([small.stop(), large.stop()]);
  return { outcomes };
}

async function measureList({ small, large, options, progress }, who, route) {
  const scenario = `GET ${route} (${who})`;
  progress.step(scenario);
  const contenders = [
    ['100,000 projects', large],
    ['1,000 projects', small],
  ].map(([name, { service, tokens }]) => {
    const ask = () => answer(service.apiUrl(route), tokens[who]);
    return { name, ask, measure: () => average(ask) };
  });
  for (const { ask } of contenders) await repeat(ask, WARM_UP);
  const rounds = options.effort.cloneRounds;
  return takeTurns({ scenario, unit: 'ms', contenders, rounds, progress });
}

async function average(ask) {
  const { value } = await timed(() => repeat(ask, REQUESTS));
  return { value: value / REQUESTS, times: REQUESTS };
}

async function repeat(ask, times) {
  for (let count = 0; count < times; count += 1) await ask();
}

async function answer(url, token) {
  const response = await fetch(url, { headers: { 'PRIVATE-TOKEN': token } });
  const body = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${body}`);
}
