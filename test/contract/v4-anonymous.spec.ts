import { EMPTY_ROUTES, V4 } from '../../src/faces/index.js';
import type { Client } from '../support/client.js';
import { PushedProjects } from '../support/pushed-projects.js';
import { Trellis } from '../support/trellis.js';
import { type Answer, call } from './support/call.js';
import { Checks, kindOf } from './support/checks.js';
import { type Visibility, VISIBILITIES } from './support/expectation.js';
import { documentedOperations, type Operation } from './support/operations.js';

jest.setTimeout(300_000);

const reads = documentedOperations().filter(({ face, verb }) => face === V4 && verb === 'get');

/** Paths that show public things to anonymous readers (docs/reference/v4.md#reading-without-a-credential). */
const OPEN: readonly RegExp[] = [
  /^\/projects$/,
  /^\/projects\/\{id\}(\/(events|forks|languages))?$/,
  /^\/projects\/\{id\}\/issues(\/\{issue_iid\}(\/(closed_by|participants|related_merge_requests))?)?$/,
  /^\/projects\/\{id\}\/merge_requests(\/\{merge_request_iid\})?$/,
  /^\/projects\/\{id\}\/merge_requests\/\{merge_request_iid\}\/(approvals|changes|closes_issues|commits|diffs|raw_diffs)$/,
  /^\/projects\/\{id\}\/merge_requests\/\{merge_request_iid\}\/(participants|reviewers|versions(\/\{version_id\})?)$/,
  /^\/projects\/\{id\}\/(issues|merge_requests)\/\{\w+\}\/(notes|award_emoji|time_stats)\b/,
  /^\/avatar$/,
  /^\/(groups|projects)\/\{id\}\/issues_statistics$/,
  /^\/(groups|projects)\/\{id\}\/labels(\/\{name\})?$/,
  /^\/(groups|projects)\/\{id\}\/milestones(\/\{milestone_id\}(\/(issues|merge_requests))?)?$/,
  /^\/projects\/\{id\}\/repository\/(archive|blobs|branches|changelog|compare|contributors|files|merge_base|tags|tree)\b/,
  /^\/projects\/\{id\}\/repository\/commits(\/\{sha\}(\/(comments|diff|merge_requests|refs|sequence|signature))?)?$/,
  /^\/projects\/\{id\}\/releases\b/,
  /^\/groups(\/\{id\}(\/(descendant_groups|issues|merge_requests|projects|subgroups))?)?$/,
  /^\/users\/\{id\}\/(events|projects)$/,
];

/** What anonymous readers get by certain parameters only, and the refusal without them. */
const REFUSED: Readonly<Record<string, number>> = {
  '/issues': 401,
  '/issues_statistics': 401,
  '/merge_requests': 401,
  '/users': 403,
  '/users/{id}': 403,
};

const REFUSALS: Readonly<Record<number, string>> = {
  401: '401 Unauthorized',
  403: '403 Forbidden',
};

/** What is empty in every project, such as boards. */
const EMPTY: ReadonlySet<string> = new Set(
  EMPTY_ROUTES.map(({ path }) => `/${path.replace(':id', '{id}')}`).filter((path) =>
    /^\/projects\/\{id\}\/[^:]+$/.test(path),
  ),
);

const isOpen = ({ path }: Operation): boolean =>
  EMPTY.has(path) || OPEN.some((pattern) => pattern.test(path));

const isHere = (status: number): boolean => [200, 400, 404].includes(status);

describe('version 4 without a credential', () => {
  let trellis: Trellis;
  let checks: Checks;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    checks = await Checks.on(trellis);
  });

  const callOn = async (operation: Operation, visibility: Visibility): Promise<Answer> => {
    const kind = kindOf(checks.permissionOf(operation));
    const place = { visibility, way: 'direct' } as const;
    const id = kind && (await checks.stage.keep(kind, place));
    const format = { format: 'zip' };
    return call(trellis.url, operation, null, id === undefined ? format : { ...format, id });
  };

  const byPath = (some: readonly Operation[]) => some.map((one) => [one.path, one] as const);

  it.each(byPath(reads.filter(isOpen)))(
    'shows %s of public projects and groups only',
    async (_, operation) => {
      const kind = kindOf(checks.permissionOf(operation));
      const hidden = { message: `404 ${kind === 'group' ? 'Group' : 'Project'} Not Found` };
      for (const visibility of VISIBILITIES) {
        const { status, body, violations } = await callOn(operation, visibility);
        expect(violations).toEqual([]);
        if (kind !== undefined && visibility !== 'public') {
          expect([status, body]).toEqual([404, hidden]);
        } else {
          expect([status, isHere(status)]).toEqual([status, true]);
          expect(body).not.toEqual(hidden);
        }
      }
    },
  );

  it.each(byPath(reads.filter((one) => !isOpen(one))))('refuses %s', async (_, one) => {
    const refusal = REFUSED[one.path] ?? 401;
    for (const visibility of VISIBILITIES) {
      const { status, body, violations } = await callOn(one, visibility);
      expect(violations).toEqual([]);
      expect([status, body]).toEqual([refusal, { message: REFUSALS[refusal] }]);
    }
  });

  it.each(
    documentedOperations()
      .filter(({ face, verb }) => face === V4 && verb !== 'get')
      .map((one) => [`${one.verb} ${one.path}`, one] as const),
  )('refuses %s with 401', async (_, operation) => {
    const { status, body, violations } = await callOn(operation, 'public');
    expect(violations).toEqual([]);
    expect([status, body]).toEqual([401, { message: '401 Unauthorized' }]);
  });

  it('has patterns only for paths that exist', () => {
    const paths = reads.map(({ path }) => path);
    expect(OPEN.filter((pattern) => !paths.some((path) => pattern.test(path)))).toEqual([]);
    expect(Object.keys(REFUSED).filter((path) => !paths.includes(path))).toEqual([]);
  });

  describe('on a public repository', () => {
    let projects: PushedProjects;

    beforeAll(async () => {
      projects = new PushedProjects(trellis, await trellis.factories.user({ projectsLimit: 10 }));
    });
    afterAll(() => projects.remove());

    it('does not show builds, nor that an answer has changed with them', async () => {
      const { project, head } = await projects.make({ visibilityLevel: 20 });
      const base = `/projects/${String(project.id)}`;
      const read = async (client: Client, known?: string) => {
        const call = client.v4.get(`${base}/repository/commits/${head}`);
        if (known !== undefined) call.set('If-None-Match', known);
        const { status, body, headers } = await call;
        return { status, body: body as object, etag: String(headers['etag']) };
      };
      const owner = trellis.as(projects.owner);
      const before = await read(trellis.anonymous);
      await owner.v4.post(`${base}/statuses/${head}`, { state: 'success' }).expect(201);
      const shown = await read(owner);
      expect(shown.body).toMatchObject({ status: 'success', last_pipeline: { status: 'success' } });
      for (const known of [undefined, shown.etag]) {
        const open = await read(trellis.anonymous, known);
        expect(open).toEqual(before);
        expect(open.body).toMatchObject({ status: null, last_pipeline: null });
      }
      expect(await read(owner, before.etag)).toEqual(shown);
      expect((await read(trellis.anonymous, before.etag)).status).toBe(304);
    });

    it('answers what a signed-in visitor gets', async () => {
      const { project, head } = await projects.make({ visibilityLevel: 20 });
      const visitor = await trellis.factories.user();
      const base = `${trellis.url}${V4.prefix}/projects/${String(project.id)}`;
      const paths = [
        ...['issues', 'labels?with_counts=true', 'merge_requests', 'milestones'],
        ...['tree', 'branches', 'branches/master', 'tags', 'commits', `commits/${head}`].map(
          (path) => `repository/${path}`,
        ),
        `repository/commits/${head}/diff`,
        `repository/merge_base?refs[]=${head}&refs[]=master`,
        'repository/contributors',
        `repository/commits/${head}/refs`,
        `repository/commits/${head}/sequence`,
        'repository/commits?all=true&with_stats=true',
        `repository/commits/${head}/comments`,
        `repository/compare?from=${head}&to=master`,
        'repository/archive.tar',
      ];
      for (const path of paths) {
        const [open, known] = await Promise.all(
          [{}, { 'PRIVATE-TOKEN': visitor.token }].map((headers) =>
            fetch(`${base}/${path}`, { headers }),
          ),
        );
        expect([path, open?.status]).toEqual([path, 200]);
        expect(await open?.text()).toBe(await known?.text());
      }
    });
  });
});
