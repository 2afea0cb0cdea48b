import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ZERO_OID, type PackServiceName, type Repository } from '../../../src/git/index.js';
import { git, line, Workshop } from './support/workshop.js';

describe('the first answer of a conversation', () => {
  let workshop: Workshop;
  let empty: Repository;

  beforeAll(async () => {
    workshop = await Workshop.open();
    empty = await workshop.emptyRepository();
  });

  afterAll(() => workshop.close());

  async function told(
    repository: Repository,
    service: PackServiceName,
    protocol?: string,
  ): Promise<string> {
    const output = new PassThrough();
    const whole = text(output);
    const { exitCode } = await repository.advertise({ service, protocol, output });
    expect(exitCode).toBe(0);
    output.end();
    return whole;
  }

  /** What a room says that has asked git before, which it does not do again. */
  async function known(...question: [Repository, PackServiceName, string?]): Promise<string> {
    const [, ...asked] = question;
    await told(empty, ...asked);
    const spawned = workshop.git.spawnCount;
    const answer = await told(...question);
    expect(workshop.git.spawnCount).toBe(spawned);
    return answer;
  }

  /** What git says, through a room that has never asked before. */
  async function fresh(
    repository: Repository,
    ...asked: [PackServiceName, string?]
  ): Promise<string> {
    const runtime = await workshop.anotherRoom();
    const answer = await told(runtime.repository(repository.path), ...asked);
    expect(runtime.spawnCount).toBe(2);
    return answer;
  }

  async function varied(): Promise<Repository> {
    const repository = await workshop.repository(line(3));
    const run = (...args: string[]) => git(args, { cwd: repository.path });
    await run('tag', '-a', '-m', 'x', 'v1', 'master');
    await run('branch', 'feature/x', 'master~1');
    await run('branch', 'Ümläut', 'master');
    await run('pack-refs', '--all');
    await run('tag', 'light', 'master~2');
    for (const kind of ['merge-requests/1', 'keep-around', 'pull/1', 'remotes/x', 'replace']) {
      await run('update-ref', `refs/${kind}/head`, 'master');
    }
    await run('update-ref', 'refs/notes/commits', 'master');
    await run('update-ref', 'refs/pulled/1', 'master');
    await run('symbolic-ref', 'refs/heads/link', 'refs/heads/master');
    return repository;
  }

  it.each([undefined, 'version=2', 'version=2:unknown'])(
    'to a push equals the bytes of git (%s)',
    async (protocol) => {
      const service = 'git-receive-pack';
      const full = await varied();
      expect(await known(full, service, protocol)).toBe(await fresh(full, service, protocol));
      expect(await known(empty, service, protocol)).toBe(await fresh(empty, service, protocol));
    },
  );

  it('to a push includes refs that have just moved, and any number of them', async () => {
    const full = await varied();
    const target = (await full.refs.get('refs/heads/master')) ?? '';
    await known(full, 'git-receive-pack');
    const made = Array.from({ length: 1_100 }, (_, n) => ({
      ref: `refs/heads/many/${String(n)}`,
      oldOid: ZERO_OID,
      newOid: target,
    }));
    await full.refs.update(made);
    expect(await known(full, 'git-receive-pack')).toBe(await fresh(full, 'git-receive-pack'));
  });

  it('to a fetch in version 2 equals that of git', async () => {
    const full = await varied();
    const answer = await known(full, 'git-upload-pack', 'version=2');
    expect(answer).toBe(await fresh(full, 'git-upload-pack', 'version=2'));
    expect(answer).toContain('version 2');
  });

  it.each([
    ['git-upload-pack', undefined],
    ['git-upload-pack', 'version=1'],
    ['git-receive-pack', 'version=1'],
  ] as const)('is left to git for %s in %s', async (service, protocol) => {
    const full = await varied();
    await told(full, service, protocol);
    const spawned = workshop.git.spawnCount;
    expect(await told(full, service, protocol)).toContain('refs/tags/light');
    expect(workshop.git.spawnCount).toBe(spawned + 1);
  });

  it('is left to git where a ref has no readable name', async () => {
    const full = await varied();
    const master = (await full.refs.get('refs/heads/master')) ?? '';
    const odd = Buffer.from(`${master} refs/heads/z\xff\n`, 'latin1');
    await appendFile(join(full.path, 'packed-refs'), odd);
    await told(full, 'git-receive-pack');
    const spawned = workshop.git.spawnCount;
    await told(full, 'git-receive-pack');
    expect(workshop.git.spawnCount).toBe(spawned + 1);
  });

  it('is an error for a missing repository', async () => {
    await known(empty, 'git-receive-pack');
    const gone = workshop.git.repository(workshop.path('gone'));
    await expect(told(gone, 'git-receive-pack')).rejects.toMatchObject({
      code: 'repository-missing',
    });
  });
});
