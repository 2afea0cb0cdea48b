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

describe('the capabilities that clients may ask for', () => {
  let workshop: Workshop;
  let repository: Repository;

  beforeAll(async () => {
    workshop = await Workshop.open();
    repository = await workshop.repository(line(1));
  });
  afterAll(() => workshop.close());

  /** The lines of an advertisement of the installed git, with the settings of the service. */
  async function advertised(service: PackServiceName): Promise<string[]> {
    const folders = runtimeFolders(join(workshop.folder, 'runtime'));
    const env = gitEnvironment(folders);
    const { args } = gitCommands.advertise(service, repository.path);
    const child = spawn('git', args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [output] = await Promise.all([buffer(child.stdout), once(child, 'close')]);
    return splitPackets(output).map(({ payload }) => payload?.toString('latin1').trimEnd() ?? '');
  }

  const namesIn = (lines: string[]): string[] => [
    ...new Set(namesOf(lines.find((text) => text.includes('\0'))?.split('\0')[1] ?? '')),
  ];

  it('is what the installed git offers to pushes', async () => {
    const pushes = namesIn(await advertised('git-receive-pack'));
    expect(pushes.sort()).toEqual([...OFFERED.push].sort());
  });
});
