import request from 'supertest';
import { FLUSH_PACKET, pktLine } from '../../../src/git/index.js';
import type { Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { SshPerson } from '../../support/ssh-person.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const REFUSAL =
  'ERR The request is too long: at most 33,554,432 bytes may be sent before an answer.';
/** Lines that take 40 MB, each of a commit that is nowhere. */
const HAVES = Buffer.from('0032have 1111111111111111111111111111111111111111\n'.repeat(800_000));

describe('What a fetch sends before git answers', () => {
  let trellis: Trellis;
  let owner: Person;
  let keys: SshPerson;
  let projects: PushedProjects;
  let pushed: PushedProject;

  beforeAll(async () => {
    trellis = await Trellis.start({ servesSsh: true });
    owner = await trellis.factories.user();
    keys = await SshPerson.create(trellis, owner);
    projects = new PushedProjects(trellis, owner);
    pushed = await projects.make({ visibilityLevel: 20 });
  });
  afterAll(async () => {
    await projects.remove();
    await keys.remove();
    await trellis.stop();
  });

  const bodies = (): [protocol: string, body: Buffer][] => {
    const want = pktLine(`want ${pushed.head}\n`);
    const begin = Buffer.concat([pktLine('command=fetch\n'), Buffer.from('0001'), want]);
    return [
      ['version=0', Buffer.concat([want, FLUSH_PACKET, HAVES, pktLine('done\n')])],
      ['version=2', Buffer.concat([begin, HAVES, FLUSH_PACKET])],
    ];
  };

  it('is bounded over HTTP, for anonymous clients, in each version', async () => {
    for (const [protocol, body] of bodies()) {
      const answer = await request(trellis.url)
        .post(`/${pushed.project.fullPath}.git/git-upload-pack`)
        .set('Content-Type', 'application/x-git-upload-pack-request')
        .set('Git-Protocol', protocol)
        .buffer(true)
        .parse((response, done) => {
          let text = '';
          response.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
          response.on('end', () => done(null, text));
        })
        .send(body)
        .expect(200);
      expect(answer.body).toContain(REFUSAL);
    }
  });

  it('is bounded over SSH', async () => {
    const [[, body]] = bodies() as [[string, Buffer]];
    const line = `git-upload-pack '${pushed.project.fullPath}.git'`;
    expect((await keys.ssh([line], { input: body })).stdout).toContain(REFUSAL);
  });
});
