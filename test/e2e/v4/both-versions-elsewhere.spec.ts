import fc from 'fast-check';
import { V3, V4 } from '../../../src/faces/index.js';
import type { ApiFace } from '../../../src/platform/http/index.js';
import { differencesOf, knownDifferences } from '../../support/both-versions.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

const RUNS = 4;

type Body = Readonly<Record<string, unknown>>;

/** What both versions have, each at paths of its own. */
interface Resource {
  readonly values: fc.Arbitrary<Body>;
  /** Makes what a value is written to. */
  readonly prepare?: () => Promise<Body>;
  readonly write: (face: ApiFace, values: Body) => Promise<void>;
  readonly change?: (face: ApiFace, values: Body) => Promise<void>;
  readonly read: (face: ApiFace, values: Body) => Promise<Body>;
}

let serial = 0;
const unique = (name: string): string => {
  serial += 1;
  return `${name}-${String(serial)}`;
};

const text = fc
  .string({ unit: fc.constantFrom(...'aB9 äß漢😀-_.&<>"\'()#@!:\n'), maxLength: 40 })
  .map((some) => `x${some}y`);

describe('what one version of the API writes at its paths, the other', () => {
  let trellis: Trellis;
  let owner: Person;
  let admin: Person;
  let project: MadeProject;
  let base: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    admin = await trellis.factories.admin();
    project = await trellis.factories.project(owner);
    base = `/projects/${String(project.id)}`;
    const actions = [{ action: 'create', file_path: 'README.md', content: 'Text' }];
    const commit = { branch: 'master', commit_message: 'Begin', actions };
    await call(V4, 'post', `${base}/repository/commits`, commit);
  });

  afterAll(async () => {
    // Of the instance, which other suites share.
    const cleared = { home_page_url: '', sign_in_text: '', after_sign_up_text: '' };
    await call(V4, 'put', '/application/settings', cleared, admin);
  });

  async function call(
    face: ApiFace,
    method: 'get' | 'post' | 'put' | 'delete',
    path: string,
    body: Body = {},
    person = owner,
  ): Promise<Body> {
    const client = trellis.as(person).at(face);
    const answer = await (method === 'get' ? client.get(path) : client[method](path, body));
    expect([path, answer.body, answer.ok]).toEqual([path, answer.body, true]);
    return answer.body as Body;
  }

  const isNew = (face: ApiFace): boolean => face === V4;
  const tagPath = ({ tag }: Body): string => `${base}/repository/tags/${String(tag)}`;
  const issuePath = ({ id, iid }: Body, face: ApiFace): string =>
    `${base}/issues/${String(isNew(face) ? iid : id)}`;
  const makeIssue = (): Promise<Body> =>
    call(V4, 'post', `${base}/issues`, { title: unique('Issue') });

  const writeFile =
    (method: 'post' | 'put') =>
    async (face: ApiFace, { file, content }: Body): Promise<void> => {
      const path = encodeURIComponent(String(file));
      const common = { content, commit_message: 'Write' };
      if (isNew(face)) {
        await call(face, method, `${base}/repository/files/${path}`, {
          ...common,
          branch: 'master',
        });
      } else {
        await call(face, method, `${base}/repository/files`, {
          ...common,
          file_path: file,
          branch_name: 'master',
        });
      }
    };

  const RESOURCES: Readonly<Record<string, () => Resource>> = {
    file: () => ({
      values: fc.record({ content: text }),
      prepare: () => Promise.resolve({ file: `a folder/${unique('ä')}.txt` }),
      write: writeFile('post'),
      change: writeFile('put'),
      read: (face, { file }) => {
        const name = encodeURIComponent(String(file));
        const files = `${base}/repository/files`;
        return call(
          face,
          'get',
          isNew(face) ? `${files}/${name}?ref=master` : `${files}?file_path=${name}&ref=master`,
        );
      },
    }),
    release: () => ({
      values: fc.record({ description: text }),
      prepare: async () => {
        const tag = unique('v');
        await call(V4, 'post', `${base}/repository/tags`, { tag_name: tag, ref: 'master' });
        return { tag };
      },
      async write(face, values) {
        const { tag, description } = values;
        if (isNew(face)) {
          await call(face, 'post', `${base}/releases`, { tag_name: tag, description });
        } else {
          await call(face, 'post', `${tagPath(values)}/release`, { description });
        }
      },
      async change(face, values) {
        const { tag, description } = values;
        const path = isNew(face) ? `${base}/releases/${String(tag)}` : `${tagPath(values)}/release`;
        await call(face, 'put', path, { description });
      },
      async read(face, values) {
        if (isNew(face)) return call(face, 'get', `${base}/releases/${String(values['tag'])}`);
        return (await call(face, 'get', tagPath(values)))['release'] as Body;
      },
    }),
    subscription: () => ({
      values: fc.record({}),
      prepare: makeIssue,
      async write(face, issue) {
        const path = issuePath(issue, face);
        // Its author is subscribed.
        await trellis
          .as(owner)
          .at(V3)
          .delete(`${issuePath(issue, V3)}/subscription`);
        await call(face, 'post', `${path}/${isNew(face) ? 'subscribe' : 'subscription'}`, {});
      },
      async change(face, issue) {
        if (isNew(face)) await call(face, 'post', `${issuePath(issue, face)}/unsubscribe`);
        else
          await trellis
            .as(owner)
            .at(face)
            .delete(`${issuePath(issue, face)}/subscription`);
      },
      async read(face, issue) {
        const { subscribed } = await call(face, 'get', issuePath(issue, face));
        return { subscribed };
      },
    }),
    todo: () => ({
      values: fc.record({}),
      prepare: makeIssue,
      async write(face, issue) {
        await call(face, 'post', `${issuePath(issue, face)}/todo`);
      },
      async change(face, issue) {
        const [todo] = (await call(face, 'get', '/todos?type=Issue')) as unknown as Body[];
        const id = String(todo?.['id']);
        expect(todo?.['target']).toMatchObject({ id: issue['id'] });
        if (isNew(face)) await call(face, 'post', `/todos/${id}/mark_as_done`);
        else await call(face, 'delete', `/todos/${id}`);
      },
      async read(face, issue) {
        const pending = (await call(face, 'get', '/todos')) as unknown as Body[];
        const done = (await call(face, 'get', '/todos?state=done')) as unknown as Body[];
        return [...pending, ...done].find(
          ({ target }) => (target as Body)['id'] === issue['id'],
        ) as Body;
      },
    }),
    settings: () => ({
      values: fc.record({
        home_page_url: fc.constantFrom('https://example.com/', 'http://example.com/home'),
        sign_in_text: text,
        after_sign_up_text: text,
        max_attachment_size: fc.integer({ min: 5, max: 10 }),
        session_expire_delay: fc.integer({ min: 100, max: 10_080 }),
      }),
      async write(face, values) {
        await call(face, 'put', '/application/settings', values, admin);
      },
      async change(face, values) {
        await call(face, 'put', '/application/settings', values, admin);
      },
      read: (face) => call(face, 'get', '/application/settings', {}, admin),
    }),
  };

  const known = knownDifferences();

  it.each(Object.keys(RESOURCES))(
    'shows alike: %s',
    async (kind) => {
      const { values, prepare, write, change, read } = (RESOURCES[kind] as () => Resource)();
      const compare = async (row: Body): Promise<void> => {
        const [older, newer] = [await read(V3, row), await read(V4, row)];
        expect(Object.keys(older)).not.toEqual([]);
        expect(differencesOf(kind, older, newer, known)).toEqual([]);
      };
      await fc.assert(
        fc.asyncProperty(values, values, fc.boolean(), async (first, second, isNewer) => {
          const [maker, changer] = isNewer ? [V4, V3] : [V3, V4];
          const prepared = (await prepare?.()) ?? {};
          await write(maker, { ...prepared, ...first });
          await compare(prepared);
          await change?.(changer, { ...prepared, ...second });
          await compare(prepared);
        }),
        { numRuns: RUNS, endOnFailure: true },
      );
    },
    120_000,
  );
});
