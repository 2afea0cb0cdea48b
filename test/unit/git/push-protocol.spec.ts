import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { gitCommands } from '../../../src/git/process/command-table.js';
import { gitEnvironment, runtimeFolders } from '../../../src/git/process/environment.js';
import {
  GitError,
  ZERO_OID,
  type PushOutcome,
  type RefUpdate,
  type Repository,
} from '../../../src/git/index.js';
import { readHookReport } from '../../../src/git/wire/pre-receive-hook.js';
import { until } from '../../support/until.js';
import { DaemonHost } from './support/daemon-host.js';
import { packOf, push, pushBody } from './support/raw-push.js';
import { git, line, tryGit, Workshop } from './support/workshop.js';

const MASTER = 'refs/heads/master';

describe('the protocol of a push', () => {
  let workshop: Workshop;
  let source: Repository;
  let repository: Repository;
  let pack: Buffer;
  let updates: RefUpdate[];

  beforeAll(async () => {
    workshop = await Workshop.open();
    source = await workshop.repository(line(5));
    const tip = (await source.resolveCommit('master')) ?? '';
    pack = await packOf(source.path, tip);
    updates = [
      { ref: MASTER, oldOid: ZERO_OID, newOid: tip },
      { ref: 'refs/heads/other', oldOid: ZERO_OID, newOid: tip },
    ];
  });

  afterAll(() => workshop.close());

  beforeEach(async () => {
    repository = await workshop.emptyRepository();
  });

  const accept = async () => ({ accept: true }) as const;
  const quiet = async () => ({ messages: ['hello'] });
  const leftovers = async () =>
    (await readdir(join(repository.path, 'objects'))).filter((name) => name.startsWith('tmp_'));

  it.each(['', 'report-status', 'report-status-v2', 'side-band-64k'])(
    'accepts with the capabilities %j',
    async (abilities) => {
      const { output, result } = await push(repository, pushBody(updates, abilities, pack), {
        gate: accept,
        settle: quiet,
      });
      expect(result).toMatchObject({ exitCode: 0 });
      expect(await repository.refs.list('refs/heads/')).toHaveLength(2);
      const report = '000eunpack ok\n0019ok refs/heads/master\n0018ok refs/heads/other\n0000';
      const expected = abilities.startsWith('report') ? report : '';
      expect(output.toString()).toBe(
        abilities === 'side-band-64k' ? '000b\x02hello\n0000' : expected,
      );
    },
  );

  it.each(['report-status', 'report-status-v2', 'report-status side-band-64k'])(
    'refuses with the capabilities %j',
    async (abilities) => {
      const { output } = await push(repository, pushBody(updates, abilities, pack), {
        gate: async () => ({ accept: false, reasons: 'Not\ntoday.' }),
        settle: () => Promise.reject(new Error('not to be called')),
      });
      expect(output.toString()).toContain('ng refs/heads/master Not today.\n');
      expect(output.toString()).toContain('ng refs/heads/other Not today.\n');
      expect(await repository.isEmpty()).toBe(true);
      expect(await leftovers()).toEqual([]);
    },
  );

  it('never treats a reason as consent', async () => {
    for (const reasons of ['ok', '', '\n', 'ok\nok']) {
      await push(repository, pushBody(updates, 'report-status', pack), {
        gate: async () => ({ accept: false, reasons }),
        settle: quiet,
      });
      expect(await repository.isEmpty()).toBe(true);
    }
  });

  it('skips the gate when the objects are broken or nothing is pushed', async () => {
    const gate = () => Promise.reject(new Error('not to be called'));
    const broken = Buffer.from(pack);
    broken[pack.length - 30] = (broken[pack.length - 30] ?? 0) ^ 0xff;
    const body = pushBody(updates, 'report-status', broken);
    const { output, result } = await push(repository, body, { gate, settle: gate });
    expect(result).toMatchObject({ exitCode: expect.any(Number) });
    expect(output.toString()).toContain('ng refs/heads/master unpacker error');
    const nothing = await push(repository, Buffer.from('0000'), { gate, settle: gate });
    expect(nothing).toMatchObject({ result: { exitCode: 0 } });
    expect(await repository.isEmpty()).toBe(true);
  });

  it.each([false, true])(
    'refuses only refs whose names are not UTF-8, side bands: %s',
    async (hasBands) => {
      const capabilities = `report-status${hasBands ? ' side-band-64k' : ''}`;
      const body = pushBody(updates, capabilities, pack);
      body.write('\xff', body.indexOf('other'), 'latin1');
      const { output, result } = await push(repository, body, { gate: accept, settle: quiet });
      const text = output.toString('latin1');
      expect(text).toContain('ng refs/heads/\xffther Ref names must be valid UTF-8.\n');
      expect(text).toContain(`ok ${MASTER}\n`);
      expect(result).toMatchObject({ exitCode: 0 });
      expect(await repository.refs.list('refs/')).toMatchObject([{ name: MASTER }]);
    },
  );

  it('rewrites the reasons of refs whose names have spaces of other scripts', async () => {
    const names = ['refs/heads/à', 'refs/heads/a\u00a0b', 'refs/heads/a\u3000b\ufeff'];
    const newOid = updates[0]?.newOid ?? '';
    const spaced = names.map((ref) => ({ ref, oldOid: ZERO_OID, newOid }));
    const { output } = await push(repository, pushBody(spaced, 'report-status', pack), {
      gate: async () => ({
        accept: false,
        reasons: new Map(names.map((ref) => [ref, `No ${ref}`])),
      }),
      settle: quiet,
    });
    for (const ref of names) expect(output.toString()).toContain(`ng ${ref} No ${ref}\n`);
    const outcomes: PushOutcome[] = [];
    await push(repository, pushBody(spaced, 'report-status', pack), {
      gate: accept,
      settle: async (outcome) => {
        outcomes.push(outcome);
        return {};
      },
    });
    expect(outcomes).toMatchObject([{ report: new Map(names.map((ref) => [ref, null])) }]);
  });

  it('asks again before each transaction of a guarded push, and moves what is confirmed', async () => {
    const asked: string[][] = [];
    const heads = async () =>
      (await readdir(join(repository.path, 'refs/heads'))).filter((name) => name.endsWith('.lock'));
    const { result } = await push(repository, pushBody(updates, 'report-status', pack), {
      gate: accept,
      confirm: async () => {
        asked.push(await heads());
        if (asked.length > 1) throw new Error('not any more');
      },
      settle: quiet,
    });
    // git gives up the whole push.
    expect(result).toMatchObject({ exitCode: 128 });
    expect(asked).toEqual([['master.lock'], ['other.lock']]);
    expect((await repository.refs.list('refs/heads/')).map(({ name }) => name)).toEqual([MASTER]);
    expect(await heads()).toEqual([]);
    await push(repository, pushBody(updates.slice(1), 'report-status', pack), {
      ...{ gate: accept, settle: quiet },
      confirm: () => Promise.resolve(),
    });
    expect(await repository.refs.list('refs/heads/')).toHaveLength(2);
  });

  it('prints lines for the pusher before the decision', async () => {
    const body = pushBody(updates, 'report-status side-band-64k', pack);
    const { output } = await push(repository, body, {
      gate: async (_commands, _quarantine, print) => {
        print('One\nline');
        print('ok');
        return { accept: true };
      },
      settle: quiet,
    });
    expect(output.toString()).toMatch(/\x02One line\n(?:....\x02)?ok\n/);
    expect(await repository.refs.list('refs/heads/')).toHaveLength(2);
  });

  it('settles what the gate accepted although the client left before', async () => {
    const gone = new AbortController();
    const outcomes: PushOutcome[] = [];
    const { result } = await push(repository, pushBody(updates, 'report-status', pack), {
      signal: gone.signal,
      gate: async () => {
        gone.abort();
        return { accept: true };
      },
      settle: async (outcome) => {
        outcomes.push(outcome);
        return {};
      },
    });
    const declined = 'pre-receive hook declined';
    const report = new Map(updates.map(({ ref }) => [ref, declined]));
    expect(outcomes).toEqual([{ exitCode: 0, report }]);
    expect(result).toMatchObject({ exitCode: 0 });
    expect(await repository.isEmpty()).toBe(true);
    expect(await leftovers()).toEqual([]);
  });

  it('lets git finish when the client leaves after the verdict', async () => {
    const gone = new AbortController();
    const outcomes: PushOutcome[] = [];
    await push(repository, pushBody(updates, 'report-status', pack), {
      signal: gone.signal,
      gate: async () => {
        setImmediate(() => gone.abort());
        return { accept: true };
      },
      settle: async (outcome) => {
        outcomes.push(outcome);
        return {};
      },
    });
    expect(gone.signal.aborted).toBe(true);
    expect(outcomes).toMatchObject([{ exitCode: 0 }]);
    expect(await repository.refs.list('refs/heads/')).toHaveLength(2);
  });

  it('refuses a ref whose name has a line break before git starts', async () => {
    const named = updates.map((update) => ({ ...update, ref: `${update.ref}\nrefs/heads/b` }));
    const { output, result } = await push(repository, pushBody(named, 'report-status', pack), {
      gate: accept,
      settle: quiet,
    });
    expect(output.toString()).toContain('The request is malformed.');
    expect(result).toEqual({ exitCode: 128, stderr: 'The request is malformed.' });
    expect(await repository.isEmpty()).toBe(true);
  });

  it('does not fail when the objects of a client that has left cannot be read', async () => {
    const gone = new AbortController();
    const base = (await source.resolveCommit('master~2')) ?? '';
    const tip = updates[0]?.newOid ?? '';
    let failure: unknown;
    const { result } = await push(repository, pushBody(updates, 'report-status', pack), {
      signal: gone.signal,
      gate: async (_, quarantine) => {
        expect(quarantine.isAbandoned).toBe(false);
        gone.abort();
        expect(quarantine.isAbandoned).toBe(true);
        await until(async () => (await leftovers()).length === 0);
        await quarantine.isAncestor(base, tip).catch((error: unknown) => {
          failure = error;
          throw error;
        });
        return { accept: true };
      },
      settle: quiet,
    });
    expect(failure).toBeInstanceOf(GitError);
    expect(result).toMatchObject({ exitCode: 0 });
    expect(await repository.isEmpty()).toBe(true);
  });

  it('stops before the verdict when the client disconnects during the objects', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const gate = () => Promise.reject(new Error('not to be called'));
    const pushed = repository.receivePack({ stateless: true, input, output, gate, settle: gate });
    const body = pushBody(updates, 'report-status', pack);
    input.write(body.subarray(0, body.length - 20));
    input.destroy(new Error('connection reset'));
    expect((await pushed).exitCode).not.toBe(0);
    expect(await repository.isEmpty()).toBe(true);
    expect(await leftovers()).toEqual([]);
  });

  it('changes nothing when the service stops before its verdict', async () => {
    const environment = gitEnvironment(runtimeFolders(join(workshop.folder, 'runtime')));
    const { args } = gitCommands.receivePack(repository.path);
    const stdio = ['pipe', 'ignore', 'ignore', 'pipe', 'pipe'] as const;
    const child = spawn('git', args, { env: environment, stdio: [...stdio] });
    (child.stdin as Writable).end(pushBody(updates, 'report-status', pack));
    const ended = once(child, 'exit');
    const report = await readHookReport(child.stdio[3] as Readable);
    expect(report?.commands).toEqual(updates);
    (child.stdio[4] as Writable).destroy();
    await ended;
    expect(await repository.isEmpty()).toBe(true);
  });

  it('accepts nothing when the hook runs without the service', async () => {
    const environment = gitEnvironment(runtimeFolders(join(workshop.folder, 'runtime')));
    const { args } = gitCommands.receivePack(repository.path);
    const child = spawn('git', args, { env: environment, stdio: ['pipe', 'pipe', 'ignore'] });
    child.stdin.end(pushBody(updates, 'report-status', pack));
    await once(child.stdout.resume(), 'end');
    expect(await repository.isEmpty()).toBe(true);
  });

  it('works in one conversation as over SSH', async () => {
    const host = await DaemonHost.open(repository);
    host.rules.settle = async () => ({ messages: ['Welcome.'] });
    const result = await tryGit(['push', '-o', 'an.option', host.url, 'master'], {
      cwd: source.path,
    });
    expect(result).toMatchObject({ code: 0, stderr: expect.stringContaining('remote: Welcome.') });
    host.rules.gate = async () => ({ accept: false, reasons: 'No.' });
    const refused = await tryGit(['push', host.url, ':master', 'master:x'], { cwd: source.path });
    expect(host.errors).toEqual([]);
    expect(refused.stderr).toContain('master -> x (No.)');
    expect(await git(['ls-remote', host.url])).not.toContain('refs/heads/x');
    expect(host.errors).toEqual([]);
    await host.close();
  });

  it('accepts one of two concurrent pushes to a ref, and refuses the other', async () => {
    const tip = updates[0]?.newOid ?? '';
    const parent = await git(['rev-parse', `${tip}~1`], { cwd: source.path });
    const body = (newOid: string) =>
      pushBody([{ ref: MASTER, oldOid: ZERO_OID, newOid }], 'report-status', pack);
    let arrived = 0;
    let release: () => void = () => undefined;
    const both = new Promise<void>((resolve) => (release = resolve));
    const gate = async () => {
      arrived += 1;
      if (arrived === 2) release();
      await both;
      return { accept: true } as const;
    };
    const results = await Promise.all(
      [tip, parent].map((oid) => push(repository, body(oid), { gate, settle: quiet })),
    );
    const won = results.filter(({ output }) => output.includes('ok refs/heads/master'));
    const lost = results.filter(({ output }) => output.includes('ng refs/heads/master'));
    expect([won.length, lost.length]).toEqual([1, 1]);
  });
});
