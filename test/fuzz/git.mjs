// Conversations of git's services over HTTP and SSH.
import { gzipSync } from 'node:zlib';
import { head } from '../hostile/http-client.mjs';
import { damage, maybe, several, spoken } from './bytes.mjs';
import { packets } from './pkt-lines.mjs';

const VERSIONS = ['0', '1', '2'];

function chosen(random, services) {
  const service = random.weighted(services);
  const version = random.pick(VERSIONS);
  const mutations = random.pick([0, 0, 1, 2, 5]);
  return { service, version, mutations };
}

/** Chunks of any size, as they stand in a request. */
function chunked(random, bytes) {
  const size = random.pick([100, 1_000, 65_536]);
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => {
    const part = bytes.subarray(index * size, (index + 1) * size);
    return Buffer.concat([
      Buffer.from(`${part.length.toString(16)}\r\n`),
      part,
      Buffer.from('\r\n'),
    ]);
  });
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
}

/**
 * A fetch or push over HTTP.
 * @param at `basic` of the client, `path` of a repository, its `oids`, and a `pack` for it
 */
export function gitOverHttp(random, at) {
  const asked = chosen(random, [
    ['git-upload-pack', 5],
    ['git-receive-pack', 5],
    ['git-upload-archive', 0.5],
  ]);
  const { service, version, mutations } = asked;
  const plain = packets(random, asked, at);
  const isGzip = random.chance(0.15);
  const isDamaged = isGzip && random.chance(0.3);
  const body = isGzip ? gzipSync(plain) : plain;
  const sent = isDamaged ? damage(random, body) : body;
  const isChunked = random.chance(0.5);
  const headers = {
    ...{ Authorization: at.basic, 'Content-Type': `application/x-${service}-request` },
    ...maybe(random, 0.7, () => ({ 'Git-Protocol': `version=${version}` }), {}),
    ...(isGzip ? { 'Content-Encoding': 'gzip' } : {}),
    ...(isChunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': sent.length }),
    ...maybe(random, 0.1, () => ({ Expect: '100-continue' }), {}),
  };
  const bytes = Buffer.concat([
    Buffer.from(head('POST', `${at.path}/${service}`, headers)),
    isChunked ? chunked(random, sent) : sent,
  ]);
  return spoken(random, bytes, mutations === 0 && !isDamaged);
}

const ODD_COMMANDS = [
  ...['', 'sh', "git-upload-pack 'x'", "git-upload-pack ''", 'git-upload-pack', "git-shell 'a/b'"],
  ...["git-upload-pack '../../etc/passwd'", "git-upload-pack 'a/b' 'c'", 'a'.repeat(30_000)],
];

/**
 * A command over SSH, with what the client sends to it: `command`, `environment` and what `spoken` returns.
 * @param at as for `gitOverHttp`
 */
export function gitOverSsh(random, at) {
  const asked = chosen(random, [
    ['git-upload-pack', 4],
    ['git-receive-pack', 4],
    ['git-upload-archive', 2],
  ]);
  const isOdd = random.chance(0.04);
  const command = isOdd ? random.pick(ODD_COMMANDS) : `${asked.service} '${at.path.slice(1)}'`;
  const environment = {
    ...maybe(random, 0.7, () => ({ GIT_PROTOCOL: `version=${asked.version}` }), {}),
    ...Object.fromEntries(
      several(random, 0, random.pick([0, 0, 20]), (index) => [`GIT_X_${index}`, 'a'.repeat(999)]),
    ),
  };
  const bytes = packets(random, asked, at);
  return { command, environment, ...spoken(random, bytes, asked.mutations === 0 && !isOdd) };
}
