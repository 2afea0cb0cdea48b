import request from 'supertest';
import type { MadeProject, Person } from './factories.js';
import type { Trellis } from './trellis.js';

/** A request of git over HTTP. */
interface GitRequest {
  service: 'git-receive-pack' | 'git-upload-pack';
  project: MadeProject;
  /** Absent: the request is anonymous. A password will do as the token. */
  person?: Pick<Person, 'user' | 'token'>;
  /** The value of the header `Git-Protocol`. */
  protocol?: string;
}

/** Sends the body of a request without any client of git, and returns what is answered, as Latin-1. */
export async function sendToGit(
  { url }: Pick<Trellis, 'url'>,
  { service, project, person, protocol }: GitRequest,
  body: Buffer,
): Promise<string> {
  const post = request(url)
    .post(`/${project.fullPath}.git/${service}`)
    .set('Content-Type', `application/x-${service}-request`);
  if (person !== undefined) post.auth(person.user.username, person.token);
  if (protocol !== undefined) post.set('Git-Protocol', protocol);
  const answer = await post
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

/** Sends the body of a push. */
export const sendPush = (
  trellis: Pick<Trellis, 'url'>,
  by: { project: MadeProject; person: Person },
  body: Buffer,
): Promise<string> => sendToGit(trellis, { service: 'git-receive-pack', ...by }, body);
