import request from 'supertest';
import type { MadeProject, Person } from './factories.js';
import type { Trellis } from './trellis.js';

/** Sends the body of a push without any client of git, and returns what is answered, as Latin-1. */
export async function sendPush(
  trellis: Trellis,
  { project, person }: { project: MadeProject; person: Person },
  body: Buffer,
): Promise<string> {
  const answer = await request(trellis.url)
    .post(`/${project.fullPath}.git/git-receive-pack`)
    .auth(person.user.username, person.token)
    .set('Content-Type', 'application/x-git-receive-pack-request')
    .buffer(true)
    .parse((response, done) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => done(null, Buffer.concat(chunks).toString('latin1')));
    })
    .send(body)
    .expect(200);
  return answer.body as string;
}
