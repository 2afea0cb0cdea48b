import { rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { git, hasHttpBackend } from '../git.mjs';
import { takeTurns, timed } from '../rounds.mjs';
import { createProject } from '../seed.mjs';
import { median } from '../statistics.mjs';

const OURS = 'trellis';
const LOCAL = 'git over file://';
const BACKEND = 'git http-backend';
const AT_REST = 'at rest';

/** Projects that are pushed to at the same time. */
const CROWD = 12;
/** Reads at rest, of which the median counts. */
const READS = 30;

/** Times of clones and pushes with the machine's git, against git's own ways to serve them. */
export async function measureTransport(world) {
  const scenarios = {
    [`clone (${world.history.label})`]: measureClone,
    'push of one commit': measureSmallPush,
    [`push (${world.history.label})`]: measureHistoryPush,
    'pushes to 12 projects at once': measurePushCrowd,
    'a read beside pushes to 12 projects': measureReadBesidePushes,
  };
  const present = { ...world, hasBackend: await hasHttpBackend() };
  const outcomes = [];
  for (const [scenario, measure] of Object.entries(scenarios)) {
    if (scenario.includes(world.options.match)) outcomes.push(await measure(present, scenario));
  }
  return { outcomes };
}

/** All of them serve the very same folder: the one in which the service keeps the project. */
function measureClone(world, scenario) {
  const { service, baseline, history, folder, hasBackend, options } = world;
  const { project, repository } = history;
  const target = path.join(folder, 'clone.git');
  const addresses = {
    [OURS]: service.gitUrl(project, { anonymous: true }),
    [LOCAL]: pathToFileURL(repository).href,
    ...(hasBackend ? { [BACKEND]: baseline.gitUrl(path.relative(folder, repository)) } : {}),
  };
  const contenders = Object.entries(addresses).map(([name, address]) => ({
    name,
    measure: async () => {
      const figure = await timed(() => git(['clone', '--quiet', '--bare', address, target]));
      await rm(target, { recursive: true });
      return figure;
    },
  }));
  return turns(world, scenario, contenders, options.effort.cloneRounds);
}

/** Each round pushes another commit on top, the same one to all. */
async function measureSmallPush(world, scenario) {
  const { history, options } = world;
  const { source, head, branch } = history;
  const rounds = options.effort.pushRounds;
  const targets = pushTargets(world, 'small');
  for (const { make } of targets) await push(source, await make(), `${head}:refs/heads/${branch}`);
  const commits = await commitsOnTop(source, head, rounds + 1);
  const contenders = targets.map(({ name, address }) => ({
    name,
    measure: (round) =>
      timed(() => push(source, address(), `${commits[round]}:refs/heads/${branch}`)),
  }));
  return turns(world, scenario, contenders, rounds);
}

/** Each round pushes another commit to each of twelve repositories at once. */
async function measurePushCrowd(world, scenario) {
  const { options } = world;
  const rounds = options.effort.pushRounds;
  const contenders = [];
  for (const target of pushTargets(world, 'crowd')) {
    const pushAll = await pushCrowd(world, target, rounds);
    contenders.push({ name: target.name, measure: (round) => timed(() => pushAll(round)) });
  }
  return { ...(await turns(world, scenario, contenders, rounds)), goal: { atMost: 1.2 } };
}

/** Reads one after the other, as long as twelve pushes are under way. */
async function measureReadBesidePushes(world, scenario) {
  const { history, options, service } = world;
  const rounds = options.effort.pushRounds;
  const [ours] = pushTargets(world, 'beside');
  const pushAll = await pushCrowd(world, ours, rounds);
  const read = () => timed(() => service.call('GET', `/projects/${history.project.id}`));
  const middleOf = (times) => ({ value: median(times), times: times.length });
  const beside = async (round) => {
    let isOver = false;
    const pushed = pushAll(round).finally(() => (isOver = true));
    const times = [];
    while (!isOver) times.push((await read()).value);
    await pushed;
    return middleOf(times);
  };
  const atRest = async () => {
    const times = [];
    for (let count = 0; count < READS; count += 1) times.push((await read()).value);
    return middleOf(times);
  };
  const contenders = [
    { name: OURS, measure: beside },
    { name: AT_REST, measure: atRest },
  ];
  return { ...(await turns(world, scenario, contenders, rounds)), goal: { atMost: 2 } };
}

/** Makes twelve repositories with the invented history. @returns pushes the commit of a round to each of them at once */
async function pushCrowd({ generated }, { make }, rounds) {
  const { source, head, branch } = generated;
  const addresses = [];
  for (let count = 0; count < CROWD; count += 1) addresses.push(await make());
  const pushTo = (commit) =>
    Promise.all(
      addresses.map((address) => push(source, address, `${commit}:refs/heads/${branch}`)),
    );
  await pushTo(head);
  const commits = await commitsOnTop(source, head, rounds + 1);
  return (round) => pushTo(commits[round]);
}

/** Each round pushes all branches to a new, empty repository. */
async function measureHistoryPush(world, scenario) {
  const { history, options } = world;
  const targets = pushTargets(world, 'whole');
  const contenders = targets.map(({ name, make }) => ({
    name,
    measure: async () => {
      const address = await make();
      return timed(() => push(history.source, address, 'refs/heads/*:refs/heads/*'));
    },
  }));
  return turns(world, scenario, contenders, options.effort.historyRounds);
}

function turns({ database, progress }, scenario, contenders, rounds) {
  const before = () => database.untilJobsAreDone();
  return takeTurns({ scenario, unit: 'ms', contenders, rounds, before, progress });
}

/** Where pushes may go: `make` creates another empty repository, `address` tells the last one's. */
function pushTargets({ service, baseline, folder, hasBackend }, prefix) {
  const backend = async (name) => {
    const repository = await emptyRepository(folder, `${name}-backend`);
    return baseline.gitUrl(path.relative(folder, repository), service.credentials);
  };
  const makers = {
    [OURS]: async (name) => service.gitUrl(await createProject(service, name)),
    [LOCAL]: async (name) => pathToFileURL(await emptyRepository(folder, `${name}-local`)).href,
    ...(hasBackend ? { [BACKEND]: backend } : {}),
  };
  return Object.entries(makers).map(([name, maker]) => {
    let count = 0;
    let last;
    const make = async () => {
      count += 1;
      last = await maker(`${prefix}-${count}`);
      return last;
    };
    return { name, make, address: () => last };
  });
}

async function emptyRepository(folder, name) {
  const target = path.join(folder, `${name}.git`);
  await git(['init', '--quiet', '--bare', '--initial-branch=master', target]);
  return target;
}

function push(source, address, refspec) {
  return git(['-C', source, 'push', '--quiet', address, refspec]);
}

/** A chain of commits, each of which changes one file of a few lines. */
async function commitsOnTop(source, head, count) {
  const commits = Array.from({ length: count }, (_, index) => {
    const text = `${index}\n`.repeat(40);
    return [
      `commit refs/bench/top\nmark :${index + 1}\n`,
      `committer Bench <bench@example.com> ${1_700_000_000 + index} +0000\ndata 6\nChange\n`,
      index === 0 ? `from ${head}\n` : `from :${index}\n`,
      `M 100644 inline bench.txt\ndata ${text.length}\n${text}\n`,
    ].join('');
  });
  await git(['-C', source, 'fast-import', '--quiet'], { input: commits });
  const list = await git(['-C', source, 'rev-list', '--reverse', `${head}..refs/bench/top`]);
  return list.trim().split('\n');
}
