import fc from 'fast-check';
import { V3, V4 } from '../../../src/faces/index.js';
import type { ApiFace } from '../../../src/platform/http/index.js';
import { differencesOf, knownDifferences } from '../../support/both-versions.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { newKey } from '../../support/public-keys.js';
import { Trellis } from '../../support/trellis.js';

const RUNS = 5;
const TIME_LIMIT_MS = 120_000;

type Body = Readonly<Record<string, unknown>>;

/** A row that a version made, as that version showed it. */
interface Made {
  readonly id: number;
  readonly iid: number;
  readonly name: string;
}

/** A resource that both versions have. Paths and bodies depend on the version, the attributes do not. */
interface Resource {
  readonly attributes: fc.Arbitrary<Body>;
  /** The name in the table of differences, where it is another. */
  readonly inTable?: string;
  /** Whether an administrator calls. */
  readonly byAdmin?: boolean;
  /** Makes what a row needs that is made once; its fields come before the attributes. */
  readonly prepare?: () => Promise<Body>;
  readonly path: string;
  /** The path of one row, below `path`; absent for rows that are only listed. */
  readonly item?: (made: Made, face: ApiFace) => string | number;
  /** Finds a row in a list where it has no ID. */
  readonly find?: (list: readonly Body[], made: Body) => Body | undefined;
  readonly body?: (attributes: Body, face: ApiFace) => Body;
  /** The body of a change; absent where rows are not changed. */
  readonly change?: (attributes: Body, face: ApiFace, made: Made) => Body;
  readonly changedAt?: (made: Made, face: ApiFace) => string;
}

let serial = 0;
/** Makes text one of its kind, as names are. */
const unique = (text: unknown): string => {
  serial += 1;
  return `${String(text)} ${String(serial)}`;
};

const text = fc
  .string({ unit: fc.constantFrom(...'aB9 äß漢😀-_.&<>"\'()#@!:'), maxLength: 20 })
  .map((some) => `x${some}y`);
const longText = fc.option(
  fc.array(text, { maxLength: 4 }).map((lines) => lines.join('\n\n')),
  {
    nil: '',
  },
);
const dayBetween = (first: string, last: string): fc.Arbitrary<string> =>
  fc
    .date({ min: new Date(first), max: new Date(last), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
const day = dayBetween('2027-01-01', '2039-12-31');
const color = fc.constantFrom('#ff0000', '#00FF7f', '#123456');
const level = fc.constantFrom(0, 10, 20);
const switchOf = fc.boolean();

const isNew = (face: ApiFace): boolean => face === V4;
const VISIBILITIES: Readonly<Record<number, string>> = {
  0: 'private',
  10: 'internal',
  20: 'public',
};

/** The visibility in the spelling of a version. */
function withVisibility({ level: visibility, ...attributes }: Body, face: ApiFace): Body {
  return isNew(face)
    ? { ...attributes, visibility: VISIBILITIES[visibility as number] }
    : { ...attributes, visibility_level: visibility };
}

/** The assignee in the spelling of a version; 0 for none. Version 4 adds another one. */
function withAssignee({ assignee, ...attributes }: Body, other: number, face: ApiFace): Body {
  return isNew(face)
    ? { ...attributes, assignee_ids: [assignee, ...(assignee === 0 ? [] : [other])] }
    : { ...attributes, assignee_id: assignee };
}

describe('what one version of the API writes, the other', () => {
  let trellis: Trellis;
  let owner: Person;
  let admin: Person;
  let project: MadeProject;
  let base: string;
  let issue: Made;
  let request: Made;
  let milestoneIds: number[];

  beforeAll(async () => {
    trellis = await Trellis.shared();
    [owner, admin] = [
      await trellis.factories.user({ projectsLimit: 1000 }),
      await trellis.factories.admin(),
    ];
    const group = await trellis.factories.group(owner, { visibilityLevel: 20 });
    project = await trellis.factories.project(owner, { namespaceId: group.id });
    base = `/projects/${String(project.id)}`;
    await write(V4, `${base}/repository/commits`, {
      branch: 'master',
      commit_message: 'Begin',
      actions: [{ action: 'create', file_path: 'README.md', content: 'Text' }],
    });
    issue = (await write(V4, `${base}/issues`, { title: 'With notes' })) as unknown as Made;
    await write(V4, `${base}/repository/branches?branch=discussed&ref=master`, {});
    const branches = { source_branch: 'discussed', target_branch: 'master' };
    const requested = await write(V4, `${base}/merge_requests`, { ...branches, title: 'Notes' });
    request = requested as unknown as Made;
    const milestone = await write(V4, `${base}/milestones`, { title: 'Of issues' });
    const ofGroup = `/groups/${String(group.id)}`;
    const inherited = await write(V4, `${ofGroup}/milestones`, { title: 'Of the group' });
    milestoneIds = [0, milestone['id'] as number, inherited['id'] as number];
    await write(V4, `${ofGroup}/labels`, { name: 'of the group', color: '#ff0000' });
  });

  const callAs = (face: ApiFace, person = owner) => trellis.as(person).at(face);

  async function write(face: ApiFace, path: string, body: Body, person = owner): Promise<Body> {
    const answer = await callAs(face, person).post(path, body);
    expect([path, body, answer.body, answer.ok]).toEqual([path, body, answer.body, true]);
    return answer.body as Body;
  }

  const people = (): number[] => [0, owner.user.id];

  const issuable = fc.record({
    title: text.map(unique),
    description: longText,
    labels: fc
      .subarray(['bug', 'feature', 'x y', 'of the group'])
      .map((labels) => labels.join(',')),
    assignee: fc.constantFrom(0, 1),
    milestone: fc.constantFrom(0, 1, 2),
  });
  const toIssuable = ({ assignee, milestone, ...rest }: Body, face: ApiFace): Body =>
    withAssignee(
      {
        ...rest,
        assignee: people()[assignee as number],
        milestone_id: milestoneIds[milestone as number],
      },
      admin.user.id,
      face,
    );
  const byNumber = ({ id, iid }: Made, face: ApiFace): number => (isNew(face) ? iid : id);

  const RESOURCES: Readonly<Record<string, () => Resource>> = {
    issue: () => ({
      path: `${base}/issues`,
      attributes: fc
        .tuple(issuable, fc.record({ due_date: day, confidential: switchOf }))
        .map(([one, other]) => ({ ...one, ...other })),
      body: toIssuable,
      item: byNumber,
      change: (attributes, face) => ({ ...toIssuable(attributes, face), state_event: 'close' }),
    }),
    'merge request': () => ({
      path: `${base}/merge_requests`,
      attributes: fc
        .tuple(
          issuable,
          fc.record({
            prefix: fc.constantFrom('', 'WIP: ', 'Draft: ', '[Draft] '),
            remove_source_branch: switchOf,
          }),
        )
        .map(([{ title, ...one }, { prefix, ...other }]) => ({
          ...one,
          ...other,
          title: prefix + title,
        })),
      prepare: async () => {
        const name = unique('source').replace(' ', '-');
        await write(V4, `${base}/repository/branches?branch=${name}&ref=master`, {});
        return { source_branch: name, target_branch: 'master' };
      },
      body: toIssuable,
      item: byNumber,
      change: ({ source_branch: _, ...attributes }, face) => toIssuable(attributes, face),
    }),
    note: () => ({
      path: `${base}/issues/NUMBER/notes`,
      attributes: fc.record({ body: text }),
      item: ({ id }) => id,
      change: (attributes) => attributes,
    }),
    'note of a merge request': () => ({
      inTable: 'note',
      path: `${base}/merge_requests/REQUEST/notes`,
      attributes: fc.record({ body: text }),
      item: ({ id }) => id,
      change: (attributes) => attributes,
    }),
    milestone: () => ({
      path: `${base}/milestones`,
      attributes: fc.record({
        title: text.map(unique),
        description: longText,
        start_date: dayBetween('2027-01-01', '2029-12-31'),
        due_date: dayBetween('2030-01-01', '2039-12-31'),
      }),
      item: ({ id }) => id,
      change: (attributes) => ({ ...attributes, state_event: 'close' }),
    }),
    label: () => ({
      path: `${base}/labels`,
      attributes: fc.record({
        name: text.map(unique),
        color,
        description: longText,
        priority: fc.nat({ max: 9 }),
      }),
      change: ({ name, ...attributes }, face, made) => ({
        ...attributes,
        new_name: name,
        name: made.name,
      }),
      changedAt: () => `${base}/labels`,
    }),
    project: () => ({
      path: '/projects',
      attributes: fc.record({
        name: text.map((some) => unique(`p ${some.replace(/[^\p{L}\p{N}]/gu, '')}`)),
        description: longText,
        level,
        issues_enabled: switchOf,
        merge_requests_enabled: switchOf,
        wiki_enabled: switchOf,
        snippets_enabled: switchOf,
        lfs_enabled: switchOf,
        request_access_enabled: switchOf,
      }),
      body: withVisibility,
      item: ({ id }) => id,
      change: withVisibility,
    }),
    group: () => ({
      path: '/groups',
      attributes: fc.record({
        name: fc.constant('Group').map(unique),
        description: longText,
        level,
        lfs_enabled: switchOf,
        request_access_enabled: switchOf,
      }),
      body: (attributes, face) =>
        withVisibility({ ...attributes, path: String(attributes['name']).replace(' ', '-') }, face),
      item: ({ id }) => id,
      change: withVisibility,
    }),
    member: () => ({
      path: `${base}/members`,
      attributes: fc.record({ access_level: fc.constantFrom(10, 20, 30, 40), expires_at: day }),
      prepare: async () => ({ user_id: (await trellis.factories.user()).user.id }),
      item: ({ id }) => id,
      change: ({ user_id: _, ...attributes }) => attributes,
    }),
    'project hook': () => ({
      path: `${base}/hooks`,
      attributes: fc.record({
        url: fc.constantFrom('http://127.0.0.1:9/', 'https://example.com/hook?a=b'),
        push_events: switchOf,
        issues_events: switchOf,
        merge_requests_events: switchOf,
        tag_push_events: switchOf,
        note_events: switchOf,
        pipeline_events: switchOf,
        enable_ssl_verification: switchOf,
      }),
      item: ({ id }) => id,
      change: (attributes) => attributes,
    }),
    'system hook': () => ({
      path: '/hooks',
      byAdmin: true,
      attributes: fc.record({
        url: fc.constantFrom('http://127.0.0.1:9/', 'https://example.com/hook'),
        push_events: switchOf,
        tag_push_events: switchOf,
        enable_ssl_verification: switchOf,
      }),
    }),
    'deploy key': () => ({
      path: `${base}/deploy_keys`,
      attributes: fc.record({ title: text, can_push: switchOf }),
      prepare: () => Promise.resolve({ key: newKey() }),
      item: ({ id }) => id,
    }),
    email: () => ({
      path: '/user/emails',
      attributes: fc.record({
        email: fc.constant('both').map((some) => `${unique(some).replace(' ', '-')}@example.com`),
      }),
      item: ({ id }) => id,
    }),
    'commit comment': () => ({
      path: `${base}/repository/commits/master/comments`,
      attributes: fc.record({
        note: text.map(unique),
        path: fc.constant('README.md'),
        line: fc.constant(1),
        line_type: fc.constant('new'),
      }),
      find: (list, { note }) => list.find((comment) => comment['note'] === note),
    }),
    'SSH key': () => ({
      path: '/user/keys',
      attributes: fc.record({ title: text }),
      prepare: () => Promise.resolve({ key: newKey() }),
      item: ({ id }) => id,
    }),
    user: () => ({
      path: '/users',
      byAdmin: true,
      attributes: fc.record({
        name: text,
        username: fc.constant('both').map((some) => unique(some).replace(' ', '-')),
        bio: text,
        location: text,
        skype: fc.constantFrom('a', 'b'),
        projects_limit: fc.nat({ max: 100 }),
        external: switchOf,
      }),
      body: (attributes) => ({
        ...attributes,
        email: `${String(attributes['username'])}@example.com`,
        password: 'a password of length',
        confirm: false,
        skip_confirmation: true,
      }),
      item: ({ id }) => id,
      change: (attributes) => attributes,
    }),
    branch: () => ({
      path: `${base}/repository/branches`,
      attributes: fc.record({ branch: fc.constantFrom('b', 'b/c', 'ä').map(unique) }),
      body: ({ branch }, face) => {
        const name = String(branch).replace(' ', '-');
        return { ref: 'master', ...(isNew(face) ? { branch: name } : { branch_name: name }) };
      },
      item: ({ name }) => encodeURIComponent(name),
    }),
    tag: () => ({
      path: `${base}/repository/tags`,
      attributes: fc.record({
        name: fc.constantFrom('v1', 'v/2').map(unique),
        message: fc.option(text, { nil: undefined }),
      }),
      body: ({ name, message }) => ({
        tag_name: String(name).replace(' ', '-'),
        ref: 'master',
        message,
      }),
      item: ({ name }) => encodeURIComponent(name),
    }),
    'commit status': () => ({
      path: `${base}/statuses/master`,
      attributes: fc.record({
        state: fc.constantFrom('pending', 'running', 'success', 'failed', 'canceled'),
        name: text.map(unique),
        description: text,
        target_url: fc.constantFrom('https://example.com/1', 'http://example.com/?a=b'),
      }),
    }),
    'award emoji': () => ({
      path: `${base}/issues/NUMBER/award_emoji`,
      attributes: fc.record({}),
      prepare: () => {
        const names = ['rocket', 'tada', 'heart', 'fire', 'eyes', 'zap', 'star', 'bug', 'gift'];
        serial += 1;
        return Promise.resolve({ name: names[serial % names.length] });
      },
      item: ({ id }) => id,
    }),
  };

  const LISTED: Readonly<Record<string, string>> = {
    label: '/labels?per_page=100&with_counts=true',
    'commit status': '/repository/commits/master/statuses?per_page=100',
  };

  async function find(resource: Resource, kind: string, face: ApiFace, made: Made): Promise<Body> {
    const client = callAs(face, resource.byAdmin === true ? admin : owner);
    const path = pathIn(resource, face);
    if (resource.item !== undefined) {
      const answer = await client.get(`${path}/${String(resource.item(made, face))}`).expect(200);
      return answer.body as Body;
    }
    const list = LISTED[kind] === undefined ? `${path}?per_page=100` : base + LISTED[kind];
    const { body } = await client.get(list).expect(200);
    const rows = body as Body[];
    const found = resource.find
      ? resource.find(rows, made as unknown as Body)
      : rows.find(({ id }) => id === made.id);
    return found as Body;
  }

  const pathIn = ({ path }: Resource, face: ApiFace): string =>
    path
      .replace('NUMBER', String(byNumber(issue, face)))
      .replace('REQUEST', String(byNumber(request, face)));

  const known = knownDifferences();

  it.each(Object.keys(RESOURCES))(
    'shows alike: %s',
    async (kind) => {
      const resource = (RESOURCES[kind] as () => Resource)();
      const { attributes, body = (same: Body) => same, change, byAdmin } = resource;
      const person = byAdmin === true ? admin : owner;
      const compare = async (made: Made): Promise<void> => {
        const older = await find(resource, kind, V3, made);
        const newer = await find(resource, kind, V4, made);
        expect(differencesOf(resource.inTable ?? kind, older, newer, known)).toEqual([]);
      };
      await fc.assert(
        fc.asyncProperty(attributes, attributes, fc.boolean(), async (first, second, isNewer) => {
          const [maker, changer] = isNewer ? [V4, V3] : [V3, V4];
          const prepared = (await resource.prepare?.()) ?? {};
          const row = await write(
            maker,
            pathIn(resource, maker),
            body({ ...prepared, ...first }, maker),
            person,
          );
          const made = row as unknown as Made;
          await compare(made);
          if (change === undefined) return;
          const input = change({ ...prepared, ...second }, changer, made);
          const at =
            resource.changedAt?.(made, changer) ??
            `${pathIn(resource, changer)}/${String(resource.item?.(made, changer))}`;
          const answer = await callAs(changer, person).put(at, input);
          expect([input, answer.body, answer.status]).toEqual([input, answer.body, 200]);
          await compare(made);
        }),
        { numRuns: RUNS, endOnFailure: true },
      );
    },
    TIME_LIMIT_MS,
  );
});
