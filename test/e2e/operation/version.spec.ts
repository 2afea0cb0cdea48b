import { readFile } from 'node:fs/promises';
import { runCommand, runJson } from '../../support/commands.js';
import { Trellis } from '../../support/trellis.js';

/** The version with the commit that was built. */
async function builtVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  const commit = await readFile('dist/.commit', 'utf8');
  expect(commit).toMatch(/^[0-9a-f]{7}(?:\.dirty)?$|^src\.[0-9a-f]{7}$/);
  return `${version}+${commit}`;
}

describe('the version of the program', () => {
  it('is printed with the commit by --version and status', async () => {
    const version = await builtVersion();
    expect((await runCommand(['--version'], {})).output).toBe(`${version}\n`);
    const trellis = await Trellis.shared();
    const status = await runJson<{ versions: object }>(['status'], trellis.sharedEnvironment);
    expect(status.versions).toMatchObject({ trellis: version });
  });
});

describe('GET /version', () => {
  it('names the compatible version, and the program with its commit, to signed-in users', async () => {
    const trellis = await Trellis.shared();
    const person = await trellis.factories.user();
    const refused = await trellis.anonymous.get('/version').expect(401);
    expect(refused.body).toEqual({ message: '401 Unauthorized' });
    const answer = await trellis.as(person).get('/version').expect(200);
    const revision = await builtVersion();
    expect(answer.body).toEqual({ version: '8.15.7', revision });
  });

  it('names the version that `API_COMPATIBILITY_VERSION` sets', async () => {
    const trellis = await Trellis.shared();
    const person = await trellis.factories.user();
    await trellis.with({ API_COMPATIBILITY_VERSION: '8.17.0' }, async () => {
      const answer = await trellis.as(person).get('/version').expect(200);
      expect(answer.body).toMatchObject({ version: '8.17.0' });
    });
  });
});
