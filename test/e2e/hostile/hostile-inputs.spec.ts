/** @campaign hostile-inputs */
import request, { type Response } from 'supertest';
import { V3 } from '../../../src/faces/index.js';
import { complaintOf } from '../../support/complaints.js';
import { type Person, unique } from '../../support/factories.js';
import {
  BRIEF_PARTS,
  HOSTILE_VALUES,
  hostileBodies,
  hostileQueries,
  hostileSegments,
  REPEATED_PARTS,
} from '../../support/hostile.js';
import {
  type InterfaceOperation,
  interfaceOperations,
  type Verb,
} from '../../support/interface-operations.js';
import { lengthOf, seedOf } from '../../support/lengths.js';
import { openMergeRequest } from '../../support/merge-requests.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { numbers, pickFrom } from '../../unit/git/support/odd-history.js';

jest.setTimeout(300_000);

interface Probe {
  path: string;
  body?: object | string;
}

const AT_ONCE = 8;
/** Just below what a body may have. */
const BYTES = 1_000_000;
const BYTES_OF_CONTENT = 20_000_000;
const TAKES_CONTENT = /^(?:POST|PUT) \/projects\/\{id\}\/repository\/(?:commits|files)$/;
const SEED = seedOf(20_170_109);

/** Every operation; the one that changes the instance's settings is last. */
function operations(): InterfaceOperation[] {
  const all = interfaceOperations();
  const isLast = ({ title }: InterfaceOperation) => title === 'PUT /application/settings';
  return [...all.filter((operation) => !isLast(operation)), ...all.filter(isLast)];
}

describe('hostile inputs', () => {
  let trellis: Trellis;
  let admin: Person;
  let ordinary: Person;
  let pushed: PushedProjects;
  let ids: Record<string, number>;
  const random = numbers(SEED);

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'state of the instance' });
    admin = await trellis.factories.admin();
    ordinary = await trellis.factories.user({ projectsLimit: 1000 });
    const target = await trellis.factories.user({ projectsLimit: 1000 });
    pushed = new PushedProjects(trellis, ordinary);
    const { project } = await pushed.make();
    const group = await trellis.factories.group(ordinary);
    ids = { project: project.id, group: group.id, user: target.user.id };
    // The first of its kind: what paths name by the number one.
    const issues = `/projects/${String(project.id)}/issues`;
    await trellis.as(ordinary).post(issues, { title: 'Target' });
    await trellis.as(ordinary).post(`${issues}/1/notes`, { body: 'Target' }).expect(200);
    const topic = { branch_name: 'topic', ref: 'master' };
    const branches = `/projects/${String(project.id)}/repository/branches`;
    await trellis.as(ordinary).post(branches, topic).expect(200);
    await openMergeRequest(trellis, ordinary, project, { source_branch: 'topic' });
  });
  afterAll(async () => {
    await pushed.remove();
    await trellis.stop();
  });

  it.each(operations())(`do no harm to $title (seed ${String(SEED)})`, async (operation) => {
    const kinds = probesOf(operation).filter((probes) => probes.length > 0);
    expect(kinds.length).toBeGreaterThan(0);
    // That every value of every parameter is refused or converted is a matter of the contract tests.
    const probes = lengthOf({
      brief: kinds.map((some) => pickFrom(some, random)),
      campaign: kinds.flat(),
    });
    const complaints: string[] = [];
    for (const person of lengthOf({ brief: [admin], campaign: [admin, ordinary] })) {
      const first = await send(operation, probes[0] as Probe, person);
      // What is for administrators only looks at no parameter of others: a few of them will do.
      const sent = first.status === 403 ? probes.slice(0, AT_ONCE) : probes;
      await inTurns(sent, async (probe) => {
        const complaint = complaintOf(await send(operation, probe, person));
        if (complaint === undefined) return;
        complaints.push(`${complaint}: ${described(operation.verb, probe)}`);
      });
    }
    expect(complaints).toEqual([]);
    await trellis.untilReady();
  });

  it.each(operations().filter(({ body }) => body.length > 0))(
    'cause no harm to $title in megabytes',
    async (operation) => {
      const parts = lengthOf({ brief: BRIEF_PARTS, campaign: REPEATED_PARTS });
      const complaints: string[] = [];
      for (const part of parts) {
        const all = longProbesOf(operation, part);
        // That every parameter refuses or converts megabytes is a matter of the contract tests.
        const probes = lengthOf({ brief: [pickFrom(all, random)], campaign: all });
        // One after the other: those of content are about all that a process holds of one address.
        for (const probe of probes) {
          const complaint = complaintOf(await send(operation, probe, admin));
          if (complaint !== undefined) complaints.push(`${complaint.slice(0, 300)}: ${part}`);
        }
      }
      expect(complaints).toEqual([]);
      await trellis.untilReady();
    },
  );

  /** Credentials and `sudo` are parameters too. */
  it.each(['private_token', 'sudo'])('cause no harm as %s', async (name) => {
    const face = V3;
    const complaints: string[] = [];
    const queries = hostileQueries(name).map((query) => ({ path: `/user?${query}` }));
    await inTurns(queries, async (probe) => {
      for (const person of [admin, null]) {
        const complaint = complaintOf(await send({ face, verb: 'get' }, probe, person));
        if (complaint !== undefined) complaints.push(`${complaint}: ${probe.path}`);
      }
    });
    await inTurns(HOSTILE_VALUES, async ({ title, value }) => {
      const probe = { path: '/groups', body: { name: unique(), path: unique(), [name]: value } };
      const complaint = complaintOf(await send({ face, verb: 'post' }, probe, admin));
      if (complaint !== undefined) complaints.push(`${complaint}: ${title}`);
    });
    expect(complaints).toEqual([]);
  });

  it('leave all data unchanged', async () => {
    for (const kind of ['project', 'group', 'user']) {
      await trellis.as(ordinary).get(`/${kind}s/${ids[kind]}`).expect(200);
    }
    const self = await trellis.as(admin).get(`/users/${ordinary.user.id}`).expect(200);
    expect(self.body).toMatchObject({ state: 'active', is_admin: false, external: false });
  });

  /** Probes of each kind. */
  function probesOf(operation: InterfaceOperation): Probe[][] {
    const path = filled(operation.path);
    const inPath = operation.segments.flatMap((name) =>
      hostileSegments().map((segment) => ({
        path: filled(operation.path.replace(`{${name}}`, segment)),
        ...(operation.verb === 'get' ? {} : { body: samples(operation) }),
      })),
    );
    const inQuery = operation.query.flatMap((name) =>
      hostileQueries(name).map((query) => ({ path: `${path}?${query}` })),
    );
    const inBody = operation.body.flatMap((name) =>
      HOSTILE_VALUES.map(({ value }) => ({ path, body: { ...samples(operation), [name]: value } })),
    );
    const [first] = operation.body;
    const wholeBodies = first === undefined ? [] : hostileBodies(first);
    const kinds = [inPath, inQuery, inBody, wholeBodies.map((body) => ({ path, body }))];
    // What takes no parameter at all gets ones that it does not know.
    return kinds.flat().length > 0
      ? kinds
      : [hostileQueries('x').map((query) => ({ path: `${path}?${query}` }))];
  }

  /** Each parameter of the body with a text of about the greatest length. */
  function longProbesOf(operation: InterfaceOperation, part: string): Probe[] {
    const takesContent = TAKES_CONTENT.test(operation.title);
    const bytes = takesContent ? BYTES_OF_CONTENT : BYTES;
    const text = `${part.repeat(bytes / Buffer.byteLength(JSON.stringify(part).slice(1, -1)))}x`;
    const path = filled(operation.path);
    const others = { ...samples(operation), ...(takesContent ? { branch_name: 'master' } : {}) };
    return operation.body.flatMap((name) => {
      const values = name === 'actions' ? actionsWith(text) : [text];
      return values.map((value) => ({
        path,
        body: { ...others, ...inBase64(name), [name]: value },
      }));
    });
  }

  /** Content that is refused, so that none of it is stored. */
  const inBase64 = (name: string): object => (name === 'content' ? { encoding: 'base64' } : {});

  function actionsWith(text: string): object[][] {
    const action = { action: 'create', file_path: unique(), content: 'x' };
    return [
      ...['action', 'file_path', 'content', 'encoding'].map((name) => [
        { ...action, ...inBase64(name), [name]: text },
      ]),
      [{ ...action, action: 'move', previous_path: text }],
    ];
  }

  /** Values that are in order for what an operation requires, so that the hostile one is reached. */
  function samples({ title, required }: InterfaceOperation): Record<string, unknown> {
    const text = unique();
    const known: Record<string, unknown> = {
      name: text,
      path: text,
      title: text,
      text,
      value: text,
      duration: '1h',
      url: `http://${text}.example.com/`,
      username: text,
      password: `${text}-password`,
      email: `${text}@example.com`,
      login: text,
      key: text,
      file: text,
      note: text,
      state: 'success',
      description: text,
      branch_name: text,
      branch: 'master',
      source_branch: 'master',
      target_branch: 'topic',
      tag_name: text,
      ref: 'master',
      file_path: text,
      color: '#428BCA',
      body: text,
      resolved: true,
      content: text,
      commit_message: text,
      commit_sha: 'ab'.repeat(20),
      version: '1.0.0',
      actions: [{ action: 'create', file_path: text, content: text }],
      user_id: ids['user'],
      group_id: ids['group'],
      to_project_id: ids['project'],
      target_project_id: ids['project'],
      target_issue_iid: 1,
      namespace: ids['group'],
      access_level: 10,
      group_access: 10,
    };
    return Object.fromEntries(
      required.map((name) => {
        if (!(name in known)) throw new Error(`${title} requires ${name}: add a sample of it`);
        return [name, known[name]];
      }),
    );
  }

  function filled(path: string): string {
    const id = /^\/(project|group|user)s\//.exec(path)?.[1] ?? 'project';
    return path
      .replace('{id}', String(ids[id]))
      .replace('{user_id}', String(ids['user']))
      .replace('{group_id}', String(ids['group']))
      .replace('{project_id}', String(ids['project']))
      .replace('{sha}', 'master')
      .replace('{format}', 'zip')
      .replace(/\{\w+\}/g, '1');
  }

  async function send(
    { face, verb }: Pick<InterfaceOperation, 'face' | 'verb'>,
    { path, body }: Probe,
    person: Person | null,
  ): Promise<Response> {
    const call = request(trellis.url)[verb](`${face.prefix}${path}`);
    if (person !== null) call.set('PRIVATE-TOKEN', person.token);
    if (body === undefined) return call;
    // Whole bodies go out as they are.
    return call.type('json').send(typeof body === 'string' ? body : JSON.stringify(body));
  }
});

function described(verb: Verb, { path, body }: Probe): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? null);
  return `${verb} ${path.slice(0, 200)} ${text.slice(0, 300)}`;
}

async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += AT_ONCE) {
    await Promise.all(items.slice(start, start + AT_ONCE).map(work));
  }
}
