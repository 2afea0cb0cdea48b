import { appendFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { FLUSH_PACKET, pktLine, type Repository } from '../../../src/git/index.js';
import { HttpHost } from './support/http-host.js';
import { dataCommand, git, tryGit, Workshop } from './support/workshop.js';

/** Settings of a repository that name a program. */
const KEYS = [
  ...['core.askPass', 'core.editor', 'core.fsmonitor', 'core.pager', 'core.sshCommand'],
  ...['core.gitProxy', 'core.alternateRefsCommand', 'credential.helper', 'diff.external'],
  ...['diff.evil.command', 'diff.evil.textconv', 'filter.evil.clean', 'filter.evil.smudge'],
  ...['filter.evil.process', 'merge.evil.driver', 'gc.recentObjectsHook'],
  ...['uploadpack.packObjectsHook', 'gpg.program', 'gpg.openpgp.program', 'gpg.x509.program'],
  ...['gpg.ssh.program', 'gpg.ssh.defaultKeyCommand', 'tar.tgz.command', 'tar.tar.gz.command'],
  ...['pager.archive', 'interactive.diffFilter', 'sequence.editor'],
];

describe('programs that a repository names', () => {
  let workshop: Workshop;
  let repository: Repository;
  let host: HttpHost;
  let marks: string;

  beforeAll(async () => {
    workshop = await Workshop.open();
    const file = 'M 100644 inline';
    repository = await workshop.repository(
      [
        'commit refs/heads/master',
        'committer Ada <ada@example.com> 1700000000 +0000',
        dataCommand('First'),
        `${file} .gitattributes`,
        dataCommand('* filter=evil diff=evil merge=evil\n'),
        `${file} a.txt`,
        dataCommand('a\n'),
        '',
      ].join('\n'),
    );
    host = await HttpHost.open(repository);
    marks = workshop.path('marks');
    await git(['init', '-q', marks]);
    const settings = KEYS.map((key) => {
      const [section = '', ...rest] = key.split('.');
      const name = rest.pop() ?? '';
      const head = rest.length === 0 ? `[${section}]` : `[${section} "${rest.join('.')}"]`;
      return `${head}\n\t${name} = "touch ${marks}/${key} #"\n`;
    });
    const named = '[merge]\n\tdefault = evil\n[tar "evil"]\n\tremote = true\n';
    const format = `[tar "evil"]\n\tcommand = "touch ${marks}/tar.evil #"\n`;
    await appendFile(join(repository.path, 'config'), [...settings, named, format].join(''));
  });
  afterAll(async () => {
    await host.close();
    await workshop.close();
  });

  async function archive(format: string): Promise<void> {
    const input = new PassThrough();
    const output = new PassThrough();
    const whole = buffer(output);
    const packets = [`argument --format=${format}\n`, 'argument master\n'].map((text) =>
      pktLine(text),
    );
    input.end(Buffer.concat([...packets, FLUSH_PACKET]));
    const admit = () => Promise.resolve(() => undefined);
    await repository.uploadArchive({ input, output, admit });
    output.end();
    await whole;
  }

  it('are not started by fetches, pushes, archives, diffs, merges and housekeeping', async () => {
    const clone = workshop.path('clone');
    await git(['clone', '-q', host.url, clone]);
    await writeFile(join(clone, 'a.txt'), 'b\n');
    await git(['commit', '-qam', 'Second'], { cwd: clone });
    const pushed = await tryGit(['push', '-q', 'origin', 'HEAD:refs/heads/other'], { cwd: clone });
    expect(pushed).toMatchObject({ code: 0 });
    for (const format of ['tar', 'tgz', 'tar.gz', 'zip', 'evil']) await archive(format);
    const from = (await repository.resolveCommit('master')) ?? '';
    const to = (await repository.resolveCommit('other')) ?? '';
    await repository.diff(from, to);
    await repository.canMerge(from, to);
    await buffer(await repository.archive({ commit: to, format: 'tar', folder: 'a' }));
    await repository.housekeeping();
    expect(await readdir(marks)).toEqual(['.git']);
  });
});
