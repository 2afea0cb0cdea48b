import { measureFirstPages, measureSingleReads, startPair } from '../growth/first-pages.mjs';
import { KINDS, READER, SAMPLE } from '../growth/rows.mjs';

const stock = (label, scale) => ({ label, scale, kinds: KINDS, reader: READER });

const STOCKS = {
  small: stock('1,000 projects', { projects: 1_000, users: 200, groups: 50 }),
  large: stock('100,000 projects', { projects: 100_000, users: 20_000, groups: 5_000 }),
};

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

const SINGLE = {
  reader: [
    `/projects/${SAMPLE.project}`,
    `/groups/${SAMPLE.group}`,
    `/users/${SAMPLE.user}`,
    '/user',
  ],
};

/** How much longer first pages and single reads take in a large instance than in a small one. */
export async function measureGrowth(world) {
  const pair = await startPair(world, STOCKS, 'growth');
  const outcomes = [
    ...(await measureFirstPages(world, pair, LISTS)),
    ...(await measureSingleReads(world, pair, SINGLE)),
  ];
  await Promise.all([pair.small.stop(), pair.large.stop()]);
  return { outcomes };
}
