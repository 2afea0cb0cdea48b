// Kinds of conversations: what makes one from a seed, and what holds it with the service.
import { commit } from '../hostile/git-client.mjs';
import { httpConversation } from './http.mjs';
import { gitOverHttp, gitOverSsh } from './git.mjs';
import { overSsh, overSshMessages, overTcp, Receiver } from './players.mjs';
import { receiverAnswer } from './receivers.mjs';
import { sshInTheClear, sshMessages } from './ssh.mjs';

/** How many conversations of a group are held at once. */
export const AT_ONCE = 8;
/** Wrong passwords shut their address out, so that requests have one of their own. */
const OF_REQUESTS = '127.0.0.3';
const OF_GIT = '127.0.0.2';

/**
 * `make` makes a conversation from random numbers and the material; `play` holds it in one of `AT_ONCE` lanes; `count`
 * is that of the long form.
 */
export const GROUPS = [
  {
    name: 'http',
    about: 'requests: chunks, headers, methods, targets, pipelining, early ends',
    count: 2_400,
    make: httpConversation,
    play: ({ port }, conversation) => overTcp({ port, from: OF_REQUESTS }, conversation),
  },
  {
    name: 'git-http',
    about: 'fetches and pushes over HTTP',
    count: 1_200,
    make: gitOverHttp,
    play: ({ port }, conversation) => overTcp({ port, from: OF_GIT }, conversation),
  },
  {
    name: 'git-ssh',
    about: 'fetches, pushes and archives over SSH',
    count: 800,
    make: gitOverSsh,
    play: overSsh,
  },
  {
    name: 'ssh-clear',
    about: 'greetings and packets over SSH before keys are exchanged',
    count: 400,
    make: sshInTheClear,
    play: ({ sshPort }, conversation) => overTcp({ port: sshPort, from: OF_GIT }, conversation),
  },
  {
    name: 'ssh-before',
    about: 'messages over SSH before sign-in',
    count: 400,
    make: sshMessages(false),
    play: overSshMessages,
  },
  {
    name: 'ssh-after',
    about: 'messages over SSH after sign-in',
    count: 400,
    make: sshMessages(true),
    play: overSshMessages,
  },
  {
    name: 'receivers',
    about: 'answers of receivers to deliveries',
    count: 400,
    make: receiverAnswer,
    play: ({ receivers }, conversation, lane) => receivers[lane].answer(conversation),
  },
];

/** Makes what conversations are about: a project with a history, and receivers of its hooks. */
export async function makeMaterial(world, privateKey) {
  const project = await world.project();
  const parts = function* () {
    for (let index = 0; index < 12; index += 1) {
      const files = { [`file-${index}.txt`]: `Content ${index}\n`, 'd/a.txt': `${index}` };
      yield* commit({ message: `Commit ${index}`, files });
    }
    yield* commit({ ref: 'refs/heads/topic', message: 'A topic', files: { 'b.txt': 'b' } });
  };
  await project.git.import(parts());
  await world.pushQuietly(project);
  const listed = await project.git.must(['rev-list', '--objects', '--all']);
  const oids = listed
    .split('\n')
    .filter(Boolean)
    .map((line) => line.slice(0, 40))
    .sort();
  // Of a history that the project does not have.
  const other = await world.project();
  await other.git.import(commit({ message: 'Another history', files: { 'c.txt': 'c' } }));
  const pack = await other.git.pack();
  oids.push((await other.git.must(['rev-parse', 'master'])).trim());
  const receivers = [];
  for (let lane = 0; lane < AT_ONCE; lane += 1) {
    receivers.push(await new Receiver().open(world, project));
  }
  const { port, sshPort } = world;
  const { token, basic } = world.mallory;
  const { api, path } = project;
  return { port, sshPort, privateKey, token, basic, api, path, oids, pack, receivers };
}
