import { setTimeout as delay } from 'node:timers/promises';
import { URLSearchParams } from 'node:url';
import { requestRate } from '../load.mjs';
import { takeTurns } from '../rounds.mjs';
import { Service } from '../service.mjs';
import { seedTracker } from '../requests/tracker.mjs';
import { requestScenarios } from '../requests/scenarios.mjs';

const METRICS_TOKEN = 'bench-token-of-the-monitoring';
const ROUNDS = 20;
const SECONDS = 15;
const QUICK = { rounds: 2, seconds: 1 };
/** How often an operator's browser loads a page of the console again, and Prometheus asks for metrics. */
const CONSOLE_MS = 2_000;
const SCRAPE_MS = 5_000;
const CONSOLE_PAGES = ['', '/jobs', '/deliveries', '/processes', '/storages', '/audit'];
/** What clients do most; what reads repositories spends its time in git. */
const MIX = ['one project', 'list of 20 issues', 'one issue', 'one merge request', 'GET /user'];

/**
 * What being looked at costs: answers per second of an api process that logs each request, whose metrics are read and whose
 * console is open, to one without a log that is left alone. Both serve the same database, in turns.
 */
export async function measureObservation(world) {
  const { options, progress, database, folder } = world;
  const tracker = await seedTracker(world);
  const shared = { folder, databaseUrl: database.url, withWorker: false };
  const environment = { METRICS_TOKEN };
  progress.step('observation', 'starting two more api processes');
  const watched = await Service.start({ ...shared, environment });
  const unwatched = await Service.start({ ...shared, environment: { LOG_LEVEL: 'silent' } });
  const session = await signIn(watched);
  const { rounds, seconds } =
    options.effort.readSeconds < 1 ? QUICK : { rounds: ROUNDS, seconds: SECONDS };
  const targetOf = (service) => ({
    url: inTurn(routesOf(tracker, service)),
    headers: tracker.developer.headers,
  });
  const contenders = [
    {
      name: 'looked at',
      measure: () => whileWatching(watched, session, () => requestRate(targetOf(watched), seconds)),
    },
    { name: 'not looked at', measure: () => requestRate(targetOf(unwatched), seconds) },
  ];
  const outcome = await takeTurns({
    ...{ scenario: 'a mix of reads, metrics read and console open', unit: 'req/s' },
    ...{ contenders, rounds, progress },
  });
  return { outcomes: [{ ...outcome, goal: { atLeast: 0.95 } }] };
}

function routesOf(tracker, service) {
  const scenarios = requestScenarios(tracker).filter(({ scenario }) => MIX.includes(scenario));
  if (scenarios.length !== MIX.length)
    throw new Error(`There are only ${scenarios.length} of ${MIX}`);
  return scenarios.flatMap(({ routes }) => routes).map((route) => service.apiUrl(route));
}

function inTurn(urls) {
  let turn = 0;
  return () => urls[turn++ % urls.length];
}

/** Reads metrics and pages of the console again and again while something runs. */
async function whileWatching(service, cookie, run) {
  const ended = new AbortController();
  const metrics = repeat(SCRAPE_MS, ended.signal, () =>
    fetch(`${service.url}/metrics`, { headers: { Authorization: `Bearer ${METRICS_TOKEN}` } }),
  );
  let turn = 0;
  const pages = repeat(CONSOLE_MS, ended.signal, () => {
    const page = CONSOLE_PAGES[turn++ % CONSOLE_PAGES.length];
    return fetch(`${service.url}/admin${page}`, { headers: { cookie }, redirect: 'manual' });
  });
  try {
    return await run();
  } finally {
    ended.abort();
    await Promise.all([metrics, pages]);
  }
}

async function repeat(pauseMs, signal, ask) {
  while (!signal.aborted) {
    const response = await ask();
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Signs the administrator in as a browser does; resolves with the cookie of the session. */
async function signIn(service) {
  const address = `${service.url}/-/sign_in`;
  const form = await fetch(address, { headers: { accept: 'text/html' } });
  const [, csrfToken = ''] = /name="csrf_token" value="([^"]*)"/.exec(await form.text()) ?? [];
  const answer = await fetch(address, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookieOf(form) },
    body: new URLSearchParams({
      csrf_token: csrfToken,
      private_token: service.headers['PRIVATE-TOKEN'],
    }),
  });
  if (answer.status !== 303) throw new Error(`Signing in: ${answer.status}`);
  return cookieOf(answer);
}

const cookieOf = ({ headers }) =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
