import {
  answer,
  comparePair,
  measureFirstPages,
  measureSingleReads,
  startPair,
} from '../growth/first-pages.mjs';
import { ISSUE_KINDS, ISSUE_READER, LONG_DISCUSSION } from '../growth/issue-rows.mjs';
import { TRACKER } from '../growth/tracker-rows.mjs';

const stock = (label, issues) => ({
  label,
  scale: { issues },
  kinds: ISSUE_KINDS,
  reader: ISSUE_READER,
});

const STOCKS = { small: stock('1,000 issues', 1_000), large: stock('1,000,000 issues', 1_000_000) };

const ISSUES = `/projects/${TRACKER.project}/issues`;

const FILTERS = [
  '',
  '?order_by=updated_at',
  '?sort=asc',
  '?state=opened',
  '?state=closed&order_by=updated_at',
  '?labels=common',
  '?labels=rare',
  '?milestone=common',
  '?milestone=rare',
  '?milestone=No%20Milestone',
];

/** Code that has rarely been asked is not compiled yet and takes three times as long. */
const WARM_CREATIONS = 2_000;

const LISTS = {
  reader: [
    ...FILTERS.map((filter) => `${ISSUES}${filter}`),
    `${ISSUES}?iid=500`,
    `${ISSUES}/:id/notes`,
    `${ISSUES}/${LONG_DISCUSSION}/notes`,
    ...FILTERS.map((filter) => `/groups/${TRACKER.group}/issues${filter}`),
    '/issues',
    '/issues?state=opened',
    '/issues?labels=common',
    `/projects/${TRACKER.project}/labels`,
    `/projects/${TRACKER.project}/milestones`,
  ],
};

const SINGLE = {
  reader: [
    `${ISSUES}/:id`,
    `${ISSUES}/${LONG_DISCUSSION}/notes/:id`,
    `/projects/${TRACKER.project}`,
  ],
};

/** How much longer first pages of issues and notes, single ones, and making one take with a million of each. */
export async function measureIssues(world) {
  const pair = await startPair(world, STOCKS, 'issues');
  const outcomes = [
    ...(await measureFirstPages(world, pair, LISTS)),
    ...(await measureSingleReads(world, pair, SINGLE)),
  ];
  const creation = 'POST an issue';
  if (creation.includes(world.options.match)) outcomes.push(await measureCreation(world, pair));
  await Promise.all([pair.small.stop(), pair.large.stop()]);
  return { outcomes };
}

function measureCreation(world, pair) {
  const body = { title: 'One more', description: 'Since it is so easy' };
  return comparePair(world, pair, {
    scenario: 'POST an issue',
    ask: ({ service, tokens }) =>
      answer(service.apiUrl(ISSUES), tokens.reader, {
        method: 'POST',
        body,
      }),
    warmUp: WARM_CREATIONS,
    empty: ({ service, tokens }) => answer(`${service.url}/healthz`, tokens.reader),
  });
}
