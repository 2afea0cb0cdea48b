import { V4 } from '../../src/faces/index.js';
import { PushedProjects } from '../support/pushed-projects.js';
import { Trellis } from '../support/trellis.js';
import { type Answer, call } from './support/call.js';
import { Checks, kindOf } from './support/checks.js';
import { type Visibility, VISIBILITIES } from './support/expectation.js';
import { documentedOperations, handlerOf, type Operation } from './support/operations.js';

jest.setTimeout(300_000);

const reads = documentedOperations().filter(({ face, verb }) => face === V4 && verb === 'get');

const DETAILS = 'looks up what the caller may see by the account';

/** Paths that show public things to anonymous readers (docs/reference/v4.md#reading-without-a-credential). */
const OPEN: readonly RegExp[] = [
  /^\/projects$/,
  /^\/projects\/\{id\}(\/forks)?$/,
  /^\/projects\/\{id\}\/milestones(\/\{milestone_id\})?$/,
  /^\/projects\/\{id\}\/repository\/(archive|blobs|branches|compare|files|tags|tree)\b/,
  /^\/projects\/\{id\}\/repository\/commits(\/\{sha\}(\/diff)?)?$/,
];

/** Paths that GitLab shows to anonymous readers and this version does not, with the reason. */
const NOT_YET: readonly (readonly [RegExp, string])[] = [
  [/^\/(groups\/\{id\}\/|projects\/\{id\}\/)?(issues|merge_requests)\b/, DETAILS],
  [/^\/projects\/\{id\}\/milestones\/\{milestone_id\}\/(issues|merge_requests)$/, DETAILS],
  [/^\/projects\/\{id\}\/labels\b/, 'shows whether the caller has subscribed'],
  [/^\/groups(\/\{id\}(\/(projects|subgroups|descendant_groups))?)?$/, DETAILS],
  [/^\/users(\/\{id\}\/(keys|projects))?$/, 'is for signed-in users in version 3, too'],
];

const isOpen = ({ path }: Operation): boolean => OPEN.some((pattern) => pattern.test(path));

const isNotYet = ({ path }: Operation): boolean => NOT_YET.some(([pattern]) => pattern.test(path));

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
    'shows %s of public projects only',
    async (_, operation) => {
      const isOnProject = kindOf(checks.permissionOf(operation)) === 'project';
      for (const visibility of VISIBILITIES) {
        const { status, body, violations } = await callOn(operation, visibility);
        const isHidden = isOnProject && visibility !== 'public';
        expect(violations).toEqual([]);
        if (isHidden) {
          expect([status, body]).toEqual([404, { message: '404 Project Not Found' }]);
        } else {
          expect([200, 400, 404]).toContain(status);
          expect(body).not.toEqual({ message: '404 Project Not Found' });
        }
      }
    },
  );

  it.each(byPath(reads.filter((one) => !isOpen(one))))('refuses %s with 401', async (_, one) => {
    for (const visibility of VISIBILITIES) {
      const { status, body, violations } = await callOn(one, visibility);
      expect(violations).toEqual([]);
      expect([status, body]).toEqual([401, { message: '401 Unauthorized' }]);
    }
  });

  it('has patterns only for paths that exist, each in one table', () => {
    const paths = reads.map(({ path }) => path);
    const patterns = [...OPEN, ...NOT_YET.map(([pattern]) => pattern)];
    expect(patterns.filter((pattern) => !paths.some((path) => pattern.test(path)))).toEqual([]);
    expect(reads.filter((one) => isOpen(one) && isNotYet(one)).map(handlerOf)).toEqual([]);
  });

  describe('on a public repository', () => {
    let projects: PushedProjects;

    beforeAll(async () => {
      projects = new PushedProjects(trellis, await trellis.factories.user({ projectsLimit: 10 }));
    });
    afterAll(() => projects.remove());

    it('answers what a signed-in visitor gets', async () => {
      const { project, head } = await projects.make({ visibilityLevel: 20 });
      const visitor = await trellis.factories.user();
      const base = `${trellis.url}${V4.prefix}/projects/${String(project.id)}`;
      const paths = [
        'milestones',
        ...['tree', 'branches', 'branches/master', 'tags', 'commits', `commits/${head}`].map(
          (path) => `repository/${path}`,
        ),
        `repository/commits/${head}/diff`,
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
