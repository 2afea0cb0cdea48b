import { PassThrough, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  acceptedProtocol,
  advertisementHeader,
  FLUSH_PACKET,
  pktLine,
  RepositoryMissingError,
  type Repository,
} from '../../../src/git/index.js';
import { DaemonHost } from './support/daemon-host.js';
import { FreeSlot } from './support/free-slot.js';
import { HttpHost } from './support/http-host.js';
import { git, importStream, Workshop } from './support/workshop.js';

describe('serving clones', () => {
  let workshop: Workshop;
  let repository: Repository;
  let http: HttpHost;
  let daemon: DaemonHost;

  beforeAll(async () => {
    workshop = await Workshop.open();
    const commits = Array.from({ length: 30 }, (_, n) => ({
      files: { [`dir/${n}.txt`]: `${n}\n`.repeat(100) },
    }));
    repository = await workshop.repository(importStream(commits));
    const tip = (await repository.resolveCommit('master')) ?? '';
    for (const ref of ['refs/merge-requests/1/head', 'refs/keep-around/1', 'refs/tags/v1']) {
      await git(['update-ref', ref, tip], { cwd: repository.path });
    }
    http = await HttpHost.open(repository);
    daemon = await DaemonHost.open(repository);
  });

  afterAll(async () => {
    await http.close();
    await daemon.close();
    await workshop.close();
  });

  const contents = (path: string) => git(['rev-list', '--objects', 'HEAD'], { cwd: path });

  it.each(['0', '1', '2'])('clones everything in protocol version %s', async (version) => {
    for (const url of [http.url, daemon.url]) {
      const target = workshop.path('clone');
      await git(['-c', `protocol.version=${version}`, 'clone', '-q', url, target]);
      expect(await contents(target)).toBe(await contents(repository.path));
      await git(['fsck', '--strict'], { cwd: target });
    }
  });

  it.each(['0', '2'])('clones shallow and deepens in version %s', async (version) => {
    const target = workshop.path('clone');
    const option = ['-c', `protocol.version=${version}`];
    await git([...option, 'clone', '-q', '--depth=3', http.url, target]);
    expect(await git(['rev-list', '--count', 'HEAD'], { cwd: target })).toBe('3');
    await git([...option, 'fetch', '-q', '--deepen=4'], { cwd: target });
    expect(await git(['rev-list', '--count', 'HEAD'], { cwd: target })).toBe('7');
    await git([...option, 'fetch', '-q', '--unshallow'], { cwd: target });
    expect(await contents(target)).toBe(await contents(repository.path));
  });

  it.each(['0', '2'])('clones without blobs and fetches them later in version %s', async (v) => {
    const target = workshop.path('clone');
    const option = ['-c', `protocol.version=${v}`];
    await git([...option, 'clone', '-q', '--filter=blob:none', '--no-checkout', http.url, target]);
    const missing = await git(['rev-list', '--objects', '--missing=print', 'HEAD'], {
      cwd: target,
    });
    expect(missing.split('\n').filter((text) => text.startsWith('?'))).not.toHaveLength(0);
    const text = await git([...option, 'show', 'HEAD:dir/7.txt'], { cwd: target });
    expect(text).toBe('7\n'.repeat(100).trimEnd());
  });

  it('ends for an idle client', async () => {
    const impatient = await workshop.anotherRoom({ streamIdleMs: 100 });
    const input = new PassThrough();
    const output = new PassThrough();
    const result = await impatient
      .repository(repository.path)
      .uploadPack({ input, output, stateless: true });
    expect(result.exitCode).not.toBe(0);
  });

  it('shows the refs of merge requests to fetches, and hides them from pushes', async () => {
    const fetched = await git(['ls-remote', http.url]);
    expect(fetched).toContain('refs/merge-requests/1/head');
    expect(fetched).toContain('refs/tags/v1');
    expect(fetched).not.toContain('refs/keep');
    const output = new PassThrough();
    const whole = buffer(output);
    await repository.advertise({ service: 'git-receive-pack', output });
    output.end();
    const advertised = (await whole).toString();
    expect(advertised).toContain('refs/tags/v1');
    expect(advertised).not.toMatch(/refs\/(merge-requests|keep)/);
    expect(advertised).toContain('push-options');
  });

  it('stops git when the client disconnects', async () => {
    const big = await workshop.repository(
      importStream([{ files: { big: randomText(8_000_000) } }]),
    );
    const tip = await big.resolveCommit('master');
    const gone = new AbortController();
    let received = 0;
    const output = new Writable({
      write(chunk: Buffer, _encoding, _done) {
        // Never done: a client that has stopped reading.
        received += chunk.length;
        gone.abort();
      },
    });
    const input = new PassThrough();
    input.end(
      Buffer.concat([pktLine(`want ${tip} side-band-64k\n`), FLUSH_PACKET, pktLine('done\n')]),
    );
    const result = await big.uploadPack({ stateless: true, input, output, signal: gone.signal });
    expect(result.exitCode).not.toBe(0);
    expect(received).toBeLessThan(1_000_000);
  });

  it.each(['0', '2'])('ends a fetch that is refused its slot in version %s', async (version) => {
    const tip = await repository.resolveCommit('master');
    const want = pktLine(`want ${tip}\n`);
    const done = pktLine('done\n');
    const request = {
      '0': [want, FLUSH_PACKET, done],
      '2': [pktLine('command=fetch\n'), Buffer.from('0001'), want, done, FLUSH_PACKET],
    }[version]!;
    const refusal = new Error('Come back later');
    const slot = new FreeSlot();
    slot.take = () => Promise.reject(refusal);
    const input = new PassThrough();
    const output = new PassThrough();
    const whole = buffer(output);
    input.write(Buffer.concat(request));
    const protocol = `version=${version}`;
    const conversation = { stateless: false, protocol, input, output, slot };
    await expect(repository.uploadPack(conversation)).rejects.toBe(refusal);
    output.end();
    expect((await whole).includes('PACK')).toBe(false);
  });

  it('releases the slot of a client that stops reading after its request', async () => {
    const tip = await repository.resolveCommit('master');
    const gone = new AbortController();
    const slot = new FreeSlot();
    const givenBack = new Promise<void>((resolve) => (slot.whenGivenBack = resolve));
    const output = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => {
        if (!slot.isTaken) done();
      },
    });
    const input = new PassThrough();
    const want = pktLine(`want ${tip} side-band-64k\n`);
    input.write(Buffer.concat([want, FLUSH_PACKET, pktLine('done\n')]));
    const streams = { input, output, signal: gone.signal };
    const served = repository.uploadPack({ stateless: false, ...streams, slot });
    await givenBack;
    expect(slot.isTaken).toBe(false);
    gone.abort();
    await served;
  });

  it('ends an invalid conversation that waits for its slot', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    output.resume();
    input.write('no packet at all');
    const conversation = { stateless: false, input, output, slot: new FreeSlot() };
    const result = await repository.uploadPack(conversation);
    expect(result).toEqual({ exitCode: 128, stderr: 'Not a packet' });
  });

  it('returns the error of git for invalid input', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const whole = buffer(output);
    input.end('no packet at all');
    const result = await repository.uploadPack({ stateless: true, input, output });
    output.end();
    expect(result.exitCode).toBe(128);
    expect(result.stderr).toContain('protocol error');
    expect((await whole).length).toBeLessThan(1000);
  });

  it('fails without a repository', async () => {
    const streams = { input: new PassThrough(), output: new PassThrough() };
    const nowhere = workshop.git.repository(workshop.path('nowhere'));
    await expect(nowhere.uploadPack({ stateless: true, ...streams })).rejects.toThrow(
      RepositoryMissingError,
    );
  });

  it('passes only known protocol versions', () => {
    expect(acceptedProtocol('version=2')).toBe('version=2');
    expect(acceptedProtocol('foo:version=1')).toBe('version=1');
    for (const odd of [undefined, '', 'version=3', 'version=2\n', 'x=version=2', 'version=22']) {
      expect(acceptedProtocol(odd)).toBeNull();
    }
    expect(advertisementHeader('git-upload-pack', 'version=2')).toHaveLength(0);
    expect(advertisementHeader('git-receive-pack', 'version=2').toString()).toBe(
      '001f# service=git-receive-pack\n0000',
    );
  });
});

/** Text that does not compress well, the same every time. */
function randomText(length: number): string {
  let state = 1;
  let text = '';
  while (text.length < length) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    text += state.toString(36);
  }
  return text;
}
