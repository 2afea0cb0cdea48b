import { measureFirstPages, measureSingleReads, startPair } from '../growth/first-pages.mjs';
import { MERGE_REQUEST_KINDS, MERGE_REQUEST_READER } from '../growth/merge-request-rows.mjs';
import { TRACKER } from '../growth/tracker-rows.mjs';

const stock = (label, mergeRequests) => ({
  label,
  scale: { mergeRequests },
  kinds: MERGE_REQUEST_KINDS,
  reader: MERGE_REQUEST_READER,
});

const STOCKS = {
  small: stock('1,000 merge requests', 1_000),
  large: stock('100,000 merge requests', 100_000),
};

const REQUESTS = `/projects/${TRACKER.project}/merge_requests`;

const FILTERS = [
  '',
  '?order_by=updated_at',
  '?sort=asc',
  '?state=opened',
  '?state=closed',
  '?state=merged',
  '?state=merged&order_by=updated_at',
  '?iid=500',
  '?iid[]=7&iid[]=500',
];

const LISTS = {
  reader: [
    ...FILTERS.map((filter) => `${REQUESTS}${filter}`),
    `${REQUESTS}/:id/versions`,
    `${REQUESTS}/:id/notes`,
    `/projects/${TRACKER.project}/labels`,
  ],
};

const SINGLE = { reader: [`${REQUESTS}/:id`, `/projects/${TRACKER.project}`] };

/** How much longer first pages of merge requests, and single ones, take where a project has 100,000. */
export async function measureMergeRequests(world) {
  const pair = await startPair(world, STOCKS, 'merge_requests');
  const outcomes = [
    ...(await measureFirstPages(world, pair, LISTS)),
    ...(await measureSingleReads(world, pair, SINGLE)),
  ];
  await Promise.all([pair.small.stop(), pair.large.stop()]);
  return { outcomes };
}
