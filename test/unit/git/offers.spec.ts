import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Repository } from '../../../src/git/index.js';
import { gitCommands, type PackServiceName } from '../../../src/git/process/command-table.js';
import { gitEnvironment, runtimeFolders } from '../../../src/git/process/environment.js';
import { namesOf, OFFERED } from '../../../src/git/wire/offers.js';
import { splitPackets } from '../../../src/git/wire/pkt-line.js';
import { line, Workshop } from './support/workshop.js';

describe('the list of capabilities offered to clients', () => {
  let workshop: Workshop;
  let repository: Repository;

  beforeAll(async () => {
    workshop = await Workshop.open();
    repository = await workshop.repository(line(1));
  });
  afterAll(() => workshop.close());

  /** The lines of an advertisement of the installed git, with the settings of the service. */
  async function advertised(
    service: PackServiceName,
    version = 0,
    { args }: { args: readonly string[] } = gitCommands.advertise(service, repository.path),
  ): Promise<string[]> {
    const folders = runtimeFolders(join(workshop.folder, 'runtime'));
    const env = { ...gitEnvironment(folders), GIT_PROTOCOL: `version=${String(version)}` };
    const child = spawn('git', args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
    const [output] = await Promise.all([buffer(child.stdout), once(child, 'close')]);
    return splitPackets(output).map(({ payload }) => payload?.toString('latin1').trimEnd() ?? '');
  }

  const namesIn = (lines: string[]): string[] => [
    ...new Set(namesOf(lines.find((text) => text.includes('\0'))?.split('\0')[1] ?? '')),
  ];

  it('matches the installed git for pushes', async () => {
    const pushes = namesIn(await advertised('git-receive-pack'));
    expect(pushes.sort()).toEqual([...OFFERED.push].sort());
  });

  // A git that offers more fails here: judge what it is, then add it.
  const FETCH = [
    ...['multi_ack', 'thin-pack', 'side-band', 'side-band-64k', 'ofs-delta', 'shallow'],
    ...['deepen-since', 'deepen-not', 'deepen-relative', 'no-progress', 'include-tag'],
    ...['multi_ack_detailed', 'allow-tip-sha1-in-want', 'allow-reachable-sha1-in-want'],
    ...['symref', 'filter', 'object-format', 'agent'],
  ];

  it.each([0, 1])('is known for fetches of version %d', async (version) => {
    const { args } = gitCommands.uploadPack(repository.path, false);
    const overSsh = namesIn(await advertised('git-upload-pack', version, { args }));
    expect(overSsh.sort()).toEqual([...FETCH].sort());
    const overHttp = namesIn(await advertised('git-upload-pack', version));
    expect(overHttp.sort()).toEqual([...FETCH, 'no-done'].sort());
  });

  it('is known for fetches of version 2', async () => {
    // Older versions of git offer `object-info` whatever is set.
    const lines = (await advertised('git-upload-pack', 2)).filter((text) => text !== 'object-info');
    expect(lines.map((text) => text.replace(/^agent=.*/, 'agent'))).toEqual([
      ...['version 2', 'agent', 'ls-refs=unborn', 'fetch=shallow wait-for-done filter'],
      ...['server-option', 'object-format=sha1', ''],
    ]);
  });
});
