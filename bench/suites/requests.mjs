import { compareRates, requestOnce } from '../load.mjs';
import { measureCosts } from '../requests/cost.mjs';
import { requestScenarios, targetsOf } from '../requests/scenarios.mjs';
import { seedTracker } from '../requests/tracker.mjs';

/** Answers per second of what clients ask for most, warm, and what a request costs. */
export async function measureRequests(world) {
  const tracker = await seedTracker(world);
  const scenarios = requestScenarios(tracker).filter(({ scenario }) =>
    scenario.includes(world.options.match),
  );
  const { headers } = tracker.developer;
  const costs = await measureCosts(world, scenarios, headers);
  const outcomes = [];
  for (const scenario of scenarios) {
    const outcome = await measureRequest(world, scenario, headers);
    outcomes.push({ ...outcome, goal: scenario.goal, cost: costs.get(scenario.scenario) });
  }
  return { outcomes };
}

async function measureRequest(world, request, headers) {
  const { scenario, method } = request;
  const { ours, theirs } = targetsOf(request, world, headers);
  if (method === 'GET') await checkSameRows(ours, theirs);
  const plain = `${method === 'GET' ? 'SELECT' : 'INSERT'} by node + pg`;
  const targets = { trellis: ours, [plain]: theirs };
  const before = () => world.database.untilJobsAreDone();
  return compareRates(world, { scenario, targets, before });
}

/** A contender that answers something else would win for nothing. */
async function checkSameRows(ours, theirs) {
  const [our, their] = [await keysOf(ours), await keysOf(theirs)];
  if (our === their) return;
  throw new Error(`${ours.url} answers ${our}, but ${theirs.url} answers ${their}`);
}

async function keysOf(target) {
  const body = JSON.parse(await requestOnce(target));
  const rows = Array.isArray(body) ? body : [body];
  return rows.map(keyOf).join(', ');
}

/** Branches have names instead of IDs; the baseline's rows also have the ID of the commit, a text. */
const keyOf = ({ id, name }) => (typeof id === 'number' || name === undefined ? id : name);
