import { createHash } from 'node:crypto';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { FLUSH_PACKET, pktLine, ZERO_OID } from '../../src/git/index.js';
import { packOf, pushBody } from '../unit/git/support/raw-push.js';

export interface GitAddress {
  /** Of the project, with `.git`. */
  url: string;
  username: string;
  password: string;
}

/** A push whose body stops short of its end until it is told to go on. */
export class StalledPush {
  private constructor(
    private readonly posted: ClientRequest,
    private readonly answer: Promise<IncomingMessage>,
    private readonly rest: Buffer,
  ) {}

  /** Pushes a commit of a local repository to a new branch; resolves when the first part is sent. */
  static async begin(
    to: GitAddress,
    from: { folder: string; commit: string; branch: string },
  ): Promise<StalledPush> {
    const update = { ref: `refs/heads/${from.branch}`, oldOid: ZERO_OID, newOid: from.commit };
    const body = pushBody([update], 'report-status', await packOf(from.folder, from.commit));
    const posted = post(to, 'git-receive-pack');
    const answer = answerOf(posted);
    answer.catch(() => undefined);
    const sent = body.length - 20;
    await new Promise<void>((resolve, reject) => {
      posted.once('error', reject);
      posted.write(body.subarray(0, sent), () => resolve());
    });
    return new StalledPush(posted, answer, body.subarray(sent));
  }

  /** Sends what is missing; answers what git reports. */
  async finish(): Promise<{ status: number; report: string }> {
    this.posted.end(this.rest);
    const answer = await this.answer;
    return { status: answer.statusCode ?? 0, report: (await buffer(answer)).toString() };
  }
}

/** A clone whose client has begun to read, and goes on when it is told to. */
export class SlowClone {
  private constructor(private readonly answer: IncomingMessage) {}

  static async begin(from: GitAddress, commit: string): Promise<SlowClone> {
    const posted = post(from, 'git-upload-pack');
    posted.end(Buffer.concat([pktLine(`want ${commit}\n`), FLUSH_PACKET, pktLine('done\n')]));
    return new SlowClone(await answerOf(posted));
  }

  /** Reads to the end; whether a whole pack came, and its size in bytes. */
  async finish(): Promise<{ whole: boolean; size: number }> {
    const pack = (await buffer(this.answer)).subarray(pktLine('NAK\n').length);
    const sum = createHash('sha1').update(pack.subarray(0, -20)).digest();
    return { whole: sum.equals(pack.subarray(-20)), size: pack.length };
  }
}

function post({ url, username, password }: GitAddress, service: string): ClientRequest {
  return request(`${url}/${service}`, {
    method: 'POST',
    auth: `${username}:${password}`,
    headers: { 'Content-Type': `application/x-${service}-request` },
  });
}

function answerOf(posted: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    posted.once('response', resolve);
    posted.once('error', reject);
  });
}
