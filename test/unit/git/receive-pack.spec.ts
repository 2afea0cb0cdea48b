import { chmod, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ZERO_OID, type Repository } from '../../../src/git/index.js';
import { HttpHost } from './support/http-host.js';
import { git, line, tryGit, Workshop } from './support/workshop.js';

describe('a push over HTTP', () => {
  let workshop: Workshop;
  let repository: Repository;
  let host: HttpHost;
  let clone: string;

  beforeEach(async () => {
    workshop = await Workshop.open();
    repository = await workshop.repository(line(3));
    host = await HttpHost.open(repository);
    clone = await workshop.clone(host.url);
  });

  afterEach(async () => {
    await host.close();
    await workshop.close();
  });

  async function commit(text: string): Promise<string> {
    await writeFile(join(clone, 'file.txt'), text);
    await git(['commit', '-qam', text], { cwd: clone });
    return git(['rev-parse', 'HEAD'], { cwd: clone });
  }

  const push = (...refs: string[]) => tryGit(['push', 'origin', ...refs], { cwd: clone });

  it('is applied when the gate accepts, and settled before the response', async () => {
    const before = await repository.refs.get('refs/heads/master');
    const after = await commit('more');
    const seen: unknown[] = [];
    host.rules = {
      gate: async (commands, quarantine) => {
        seen.push(commands);
        seen.push(await quarantine.isAncestor(before ?? '', after));
        seen.push(await quarantine.isAncestor(after, before ?? ''));
        seen.push(quarantine.processId > 0);
        seen.push(await repository.objects.info(after));
        return { accept: true };
      },
      settle: async (outcome) => {
        seen.push(outcome);
        seen.push(await repository.refs.get('refs/heads/master'));
        return { messages: ['See http://example.com/1', 'and more'] };
      },
    };
    const result = await push('master', 'HEAD:refs/heads/other');
    expect(result.stderr).toContain('remote: See http://example.com/1');
    expect(result.stderr).toContain('remote: and more');
    expect(result.code).toBe(0);
    expect(seen).toEqual([
      [
        { ref: 'refs/heads/master', oldOid: before, newOid: after },
        { ref: 'refs/heads/other', oldOid: ZERO_OID, newOid: after },
      ],
      true,
      false,
      true,
      null,
      {
        exitCode: 0,
        report: new Map([
          ['refs/heads/master', null],
          ['refs/heads/other', null],
        ]),
      },
      after,
    ]);
    expect(host.errors).toEqual([]);
  });

  it('is refused when git cannot reach the gate', async () => {
    const before = await repository.refs.get('refs/heads/master');
    await commit('more');
    const asked = jest.fn();
    host.rules.gate = async () => {
      asked();
      return { accept: true };
    };
    const hook = join(workshop.folder, 'runtime', 'hooks', 'pre-receive');
    for (const spoil of [() => chmod(hook, 0o644), () => rm(hook)]) {
      await spoil();
      expect((await push('master')).code).not.toBe(0);
    }
    expect(host.errors).toEqual([
      expect.objectContaining({ code: 'unavailable' }),
      expect.objectContaining({ code: 'unavailable' }),
    ]);
    expect(asked).not.toHaveBeenCalled();
    expect(await repository.refs.get('refs/heads/master')).toBe(before);
  });

  it('is refused as a whole, each ref with its own reason', async () => {
    await commit('more');
    host.rules.gate = async () => ({
      accept: false,
      reasons: new Map([['refs/heads/master', 'You shall not pass.']]),
    });
    host.rules.settle = () => Promise.reject(new Error('must not be called'));
    const result = await push('master', 'HEAD:refs/heads/other');
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('remote: You shall not pass.');
    expect(result.stderr).toMatch(/master -> master \(You shall not pass\.\)/);
    expect(result.stderr).toMatch(/HEAD -> other \(pre-receive hook declined\)/);
    expect(await repository.refs.get('refs/heads/other')).toBeNull();
    expect(host.errors).toEqual([]);
  });

  it('does not ask the gate about reserved refs', async () => {
    await commit('more');
    const asked: string[] = [];
    host.rules.gate = async (commands) => {
      asked.push(...commands.map(({ ref }) => ref));
      return { accept: true };
    };
    const reserved = 'HEAD:refs/merge-requests/1/head';
    expect((await push(reserved)).stderr).toContain('(This ref is reserved.)');
    expect(asked).toEqual([]);
    expect((await push(reserved, 'HEAD:refs/notes/x')).stderr).toContain('(This ref is reserved.)');
    expect(asked).toEqual(['refs/notes/x']);
    expect(await repository.refs.get('refs/notes/x')).not.toBeNull();
    expect(host.errors).toEqual([]);
  });

  it('is refused when the repository is removed meanwhile, without an error in the log', async () => {
    const before = (await repository.refs.get('refs/heads/master')) ?? '';
    const after = await commit('more');
    host.rules.gate = async (_, quarantine) => {
      await rename(repository.path, `${repository.path}.removing`);
      await quarantine.isAncestor(after, before);
      return { accept: true };
    };
    const result = await push('master');
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('(The repository was removed meanwhile.)');
    expect(host.errors).toEqual([]);
  });

  it('is refused with a neutral text when the gate throws', async () => {
    const before = await repository.refs.get('refs/heads/master');
    await commit('more');
    const error = new Error('the database is away');
    host.rules.gate = () => Promise.reject(error);
    const result = await push('master');
    expect(result.stderr).toContain('The push could not be checked; nothing was changed.');
    expect(result.stderr).not.toContain('database');
    expect(await repository.refs.get('refs/heads/master')).toBe(before);
    expect(host.errors).toEqual([error]);
  });

  it('is not acknowledged when settling fails', async () => {
    const after = await commit('more');
    const error = new Error('the database is away');
    host.rules.settle = () => Promise.reject(error);
    const result = await push('master');
    expect(result.code).not.toBe(0);
    expect(result.stderr).not.toContain('master -> master');
    expect(await repository.refs.get('refs/heads/master')).toBe(after);
    expect(host.errors).toEqual([error]);
  });

  it('explains that the current branch cannot be deleted', async () => {
    const result = await push(':master');
    expect(result.stderr).toContain('(Cannot remove HEAD branch)');
    expect(await repository.refs.get('refs/heads/master')).not.toBeNull();
  });

  it('deletes a branch, without objects', async () => {
    await push('HEAD:refs/heads/other');
    const commands: unknown[] = [];
    host.rules.gate = async (given) => {
      commands.push(...given);
      return { accept: true };
    };
    expect((await push(':other')).code).toBe(0);
    expect(commands).toMatchObject([{ ref: 'refs/heads/other', newOid: ZERO_OID }]);
    expect(await repository.refs.get('refs/heads/other')).toBeNull();
  });
});
