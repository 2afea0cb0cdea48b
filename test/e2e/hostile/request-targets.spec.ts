import { converse } from '../../support/chunked-body.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

const ELSEWHERE = 'elsewhere.example';

describe('the target of a request', () => {
  let trellis: Trellis;
  let owner: Person;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    project = await trellis.factories.project(owner);
    await trellis.factories.project(owner);
  });

  async function send(target: string, headers: readonly string[] = ['Host: x']): Promise<string> {
    const lines = [`GET ${target} HTTP/1.1`, ...headers, 'Connection: close', '', ''];
    const { text, socket } = await converse(trellis.url, [lines.join('\r\n')]);
    socket.destroy();
    return text;
  }

  const SCHEMES = [`http://${ELSEWHERE}`, `HTTPS://${ELSEWHERE}:8443`, `http://a@${ELSEWHERE}`];

  it.each(SCHEMES)('may be a full URL, whose host appears in no response: %s', async (origin) => {
    const token = `PRIVATE-TOKEN: ${owner.token}`;
    const statuses = [];
    for (const path of [
      `/${project.fullPath}/info/refs?service=git-upload-pack`,
      `//${ELSEWHERE}/a/b/info/refs?service=git-upload-pack`,
      '/api/v3/projects?per_page=1',
      '/no/such/page',
      '',
      '?a=b',
    ]) {
      const text = await send(`${origin}${path}`, ['Host: x', 'Accept: text/html', token]);
      expect(text).not.toContain(`//${ELSEWHERE}`);
      statuses.push(text.slice(9, 12));
    }
    expect(statuses).toEqual(['301', '404', '200', '404', '200', '200']);
  });

  it('is refused as the address of another protocol', async () => {
    const text = await send(`gopher://${ELSEWHERE}/healthz`);
    expect(text).toMatch(/^HTTP\/1.1 400 /);
    expect(text).toMatch(/\{"error":"400 Bad Request"\}$/);
  });

  it.each([
    ['the same one', ['Host: x', 'Host: x']],
    ['another one', ['Host: x', `hOST: ${ELSEWHERE}`]],
    ['an empty one', ['Host: x', 'Host:']],
    ['none at all', ['Accept: */*']],
  ])('is refused without exactly one Host header: %s', async (_, headers) => {
    for (const path of ['/healthz', '/api/v3/projects', `/${project.fullPath}/info/refs`]) {
      const text = await send(path, headers);
      expect(text).toMatch(/^HTTP\/1.1 400 .*\r\nConnection: close\r\n/s);
      expect(text).toMatch(/\{"error":"400 Bad Request"\}$/);
    }
  });

  it('is served with an unknown Expect header', async () => {
    const text = await send('/healthz', ['Host: x', 'Expect: the-impossible']);
    expect(text).toMatch(/^HTTP\/1.1 200 /);
  });
});
