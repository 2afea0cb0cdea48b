import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { spawn } from 'node:child_process';
import {
  FLUSH_PACKET,
  pktLine,
  type ReceivePackOptions,
  type RefUpdate,
  type Repository,
} from '../../../../src/git/index.js';

/** Everything reachable from `tip`, as a pack. */
export async function packOf(repositoryPath: string, tip: string): Promise<Buffer> {
  const args = ['-C', repositoryPath, 'pack-objects', '--revs', '--stdout', '-q'];
  const child = spawn('git', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(`${tip}\n`);
  const [pack, [code]] = await Promise.all([buffer(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`git pack-objects ended with ${String(code)}`);
  return pack;
}

/** The body of a push as a client sends it. */
export function pushBody(updates: RefUpdate[], capabilities: string, pack: Buffer): Buffer {
  const commands = updates.map(({ ref, oldOid, newOid }, index) =>
    pktLine(`${oldOid} ${newOid} ${ref}${index === 0 ? `\0 ${capabilities}` : ''}\n`),
  );
  return Buffer.concat([...commands, FLUSH_PACKET, pack]);
}

/** Gives a body to `receivePack` and collects what comes back. */
export async function push(
  repository: Repository,
  body: Buffer,
  rules: Pick<ReceivePackOptions, 'gate' | 'confirm' | 'settle'> & { signal?: AbortSignal },
): Promise<{ output: Buffer; result: unknown }> {
  const input = new PassThrough();
  const output = new PassThrough();
  const whole = buffer(output).catch(() => Buffer.from('destroyed'));
  input.end(body);
  const result = await repository
    .receivePack({ stateless: true, input, output, ...rules })
    .catch((error: unknown) => error);
  output.end();
  return { output: await whole, result };
}
