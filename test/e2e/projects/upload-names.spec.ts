import path from 'node:path';
import type { MadeProject, Person } from '../../support/factories.js';
import { answerTo, END, filePart, sendParts } from '../../support/raw-upload.js';
import { Trellis } from '../../support/trellis.js';

interface UploadBody {
  alt: string;
  url: string;
  markdown: string;
}

describe('the name of an uploaded file', () => {
  let trellis: Trellis;
  let owner: Person;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    project = await trellis.factories.project(owner);
  });

  async function uploaded(filename: string): Promise<UploadBody> {
    const url = `${trellis.url}/api/v3/projects/${String(project.id)}/uploads`;
    const parts = [filePart(filename), Buffer.from('x'), END];
    const [status, body] = await answerTo(sendParts({ url, token: owner.token, parts }));
    expect([status, body]).toEqual([200, expect.anything()]);
    return body as UploadBody;
  }

  const nameOf = async (filename: string) => path.basename((await uploaded(filename)).url);

  it.each([
    ['picture.png', 'picture', true],
    ['PICTURE.JPEG', 'PICTURE', true],
    ['a.b.tiff', 'a.b', true],
    ['clip.webm', 'clip', true],
    ['drawing.svg', 'drawing.svg', true],
    ['notes.txt', 'notes.txt', false],
    ['README', 'README', false],
    ['.png', '.png', false],
    ['x.png.', 'x.png.', false],
  ])('%s is linked as %s', async (name, alt, embedded) => {
    const { url, ...rest } = await uploaded(name);
    expect(url).toMatch(/^\/uploads\/[0-9a-f]{32}\/[^/]+$/);
    expect(path.basename(url)).toBe(name);
    expect(rest).toEqual({ alt, markdown: `${embedded ? '!' : ''}[${alt}](${url})` });
  });

  it.each([
    ['my file (1).png', 'my_file__1_.png'],
    ['a]b[c].txt', 'a_b_c_.txt'],
    ['überländisch+1.txt', 'überländisch+1.txt'],
    ['cafe\u0301.txt', 'café.txt'],
    ['.htaccess', '.htaccess'],
    ['...', '_...'],
    ['-rf', '-rf'],
    ['a%2Fb.txt', 'a_2Fb.txt'],
    ['../../etc/passwd', 'passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['．．／passwd', '___passwd'],
    ['invoice\u202Egnp.exe', 'invoice_gnp.exe'],
    ['<script>.html', '_script_.html'],
    ["'; DROP TABLE projects; --.txt", '___DROP_TABLE_projects__--.txt'],
    ['🦊.png', '_.png'],
  ])('%s is stored as %s', async (given, kept) => {
    expect(await nameOf(given)).toBe(kept);
  });

  it('is truncated to the limit of the file system', async () => {
    expect(await nameOf(`${'x'.repeat(3_000)}.png`)).toBe(`${'x'.repeat(251)}.png`);
    expect(await nameOf(`${'ü'.repeat(300)}.tar.gz`)).toBe(`${'ü'.repeat(126)}.gz`);
    expect(await nameOf(`a.${'x'.repeat(400)}`)).toBe(`a.${'x'.repeat(253)}`);
  });

  it('may have any length in the request', async () => {
    const { body } = await trellis
      .as(owner)
      .call('post', `/projects/${String(project.id)}/uploads`)
      .attach('file', Buffer.from('x'), { filename: `${'x'.repeat(10_000)}.png` })
      .expect(200);
    expect(path.basename((body as UploadBody).url)).toBe(`${'x'.repeat(251)}.png`);
  });
});
