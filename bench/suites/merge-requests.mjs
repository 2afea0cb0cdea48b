import { answer, comparePair, measureFirstPages, startPair } from '../growth/first-pages.mjs';
import { MERGE_REQUEST_KINDS, MERGE_REQUEST_READER } from '../growth/merge-request-rows.mjs';
import { TRACKER } from '../growth/tracker-rows.mjs';

const stock = (label, mergeRequests) => ({
  ...{ label, scale: { mergeRequests }, kinds: MERGE_REQUEST_KINDS, reader: MERGE_REQUEST_READER },
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
    `/projects/${TRACKER.project}/labels`,
    `/projects/${TRACKER.project}`,
  ],
};

/** How many of them single reads go through, so that no one answer is remembered on the way. */
const READ = 100;

/** How much longer first pages of merge requests, and single ones, take where a project has 100,000. */
export async function measureMergeRequests(world) {
  const pair = await startPair(world, STOCKS, 'merge_requests');
  const outcomes = await measureFirstPages(world, pair, LISTS);
  for (const rest of ['', '/versions', '/notes']) {
    const scenario = `GET ${REQUESTS}/:id${rest} (reader)`;
    if (scenario.includes(world.options.match)) {
      outcomes.push(await measureSingle(world, pair, { scenario, rest }));
    }
  }
  await Promise.all([pair.small.stop(), pair.large.stop()]);
  return { outcomes };
}

function measureSingle(world, pair, { scenario, rest }) {
  let count = 0;
  // The service counts IDs from 1.
  const next = () => 1 + (count++ % READ);
  return comparePair(world, pair, {
    scenario,
    ask: ({ service, tokens }) =>
      answer(service.apiUrl(`${REQUESTS}/${next()}${rest}`), tokens.reader),
  });
}
