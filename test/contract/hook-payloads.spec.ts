import type { Person } from '../support/factories.js';
import { ALL_EVENTS } from '../support/hooks.js';
import { PushedProjects } from '../support/pushed-projects.js';
import { type Delivery, Receiver as HttpReceiver } from '../support/receiver.js';
import { Trellis } from '../support/trellis.js';
import { until } from '../support/until.js';
import { OWN_TYPES, PAYLOAD_FIELDS } from './hook-payloads/fields.js';
import { GO_GITLAB } from './hook-payloads/go-gitlab.js';
import { DECISIVE_FIELDS, GO_GITLAB_V4 } from './hook-payloads/go-gitlab-v4.js';
import { GITLAB4J, JENKINS } from './hook-payloads/java.js';
import { Occasions, ODD_TIMES } from './hook-payloads/occasions.js';
import { GITLAB_SLACK, MATTERMOST, ROCKET_CHAT } from './hook-payloads/scripts.js';
import { deviations, keyDifferences, type Receiver } from './hook-payloads/shapes.js';

jest.setTimeout(300_000);

// Real deliveries are compared with the types of go-gitlab, Jenkins' GitLab plugin and gitlab4j-api, and with
// the fields that the scripts of GitLab for Slack, Rocket.Chat and Mattermost read.
const RECEIVERS = [GO_GITLAB, JENKINS, GITLAB4J, GITLAB_SLACK, ROCKET_CHAT, MATTERMOST];

interface Attributes {
  action: string;
  noteable_type: string;
  oldrev?: string;
  source_branch: string;
  line_code: string | null;
  merge_params: object;
}

interface Payload {
  object_kind?: string;
  event_name?: string;
  ref: string;
  object_attributes: Attributes & { status?: string; duration: number | null };
  commits: { timestamp: string }[];
  build_status?: string;
  build_duration: number | null;
  commit: { duration: number | null };
}

/** Real deliveries of everything that hooks are notified of, against the types of their receivers. */
describe('the payloads of hooks', () => {
  let trellis: Trellis;
  let receiver: HttpReceiver;
  let projects: PushedProjects;
  const sent = new Map<string, Payload[]>();
  /** Those of version 4. */
  const sentV4 = new Map<string, Payload[]>();

  beforeAll(async () => {
    trellis = await Trellis.start({
      because: 'state of the instance',
      runsJobs: true,
      env: { WEBHOOK_ALLOW_LOCAL: 'true' },
    });
    receiver = await HttpReceiver.start();
    const admin = await trellis.factories.admin();
    const owner = await trellis.factories.user({ projectsLimit: 100 });
    projects = new PushedProjects(trellis, owner);
    await deliverAll(admin, owner);
    for (const delivery of receiver.deliveries) {
      const payload = JSON.parse(delivery.body) as Payload;
      const kind = kindOf(delivery, payload);
      const ofVersion = delivery.path === '/v4' ? sentV4 : sent;
      ofVersion.set(kind, [...(ofVersion.get(kind) ?? []), payload]);
    }
  });
  afterAll(async () => {
    await projects.remove();
    await trellis.stop();
    await receiver.stop();
  });

  async function deliverAll(admin: Person, owner: Person): Promise<void> {
    const { project, work } = await projects.make();
    const at = `/projects/${String(project.id)}/hooks`;
    await trellis
      .as(owner)
      .post(at, { url: `${receiver.url}/project`, ...ALL_EVENTS })
      .expect(200);
    const { build_events: job_events, ...events } = ALL_EVENTS;
    const ofVersion4 = { ...events, job_events, releases_events: true, emoji_events: true };
    const other = await projects.make();
    for (const { id } of [project, other.project]) {
      await trellis
        .as(owner)
        .v4.post(`/projects/${String(id)}/hooks`, { url: `${receiver.url}/v4`, ...ofVersion4 })
        .expect(201);
    }
    const pushes = { push_events: true, tag_push_events: true };
    const system = { url: `${receiver.url}/system`, ...pushes };
    await trellis.as(admin).post('/hooks', system).expect(200);
    await new Occasions(trellis, admin, owner, project, work).all();
    await new Occasions(trellis, admin, owner, other.project, other.work).ofVersion4();
    await until(async () => {
      const left = await trellis.rows(`SELECT 1 FROM hook_deliveries WHERE state <> 'delivered'`);
      return left.length === 0;
    });
  }

  const payloads = (kind: string): Payload[] => sent.get(kind) ?? [];
  const attributesOf = (kind: string) =>
    payloads(kind).map(({ object_attributes: attributes }) => attributes);

  it('cover exactly the known kinds', () => {
    expect([...sent.keys()].sort()).toEqual(Object.keys(PAYLOAD_FIELDS).sort());
    const actions = (kind: string) => [...new Set(attributesOf(kind).map(({ action }) => action))];
    expect(actions('issue').sort()).toEqual(['close', 'open', 'reopen', 'update']);
    expect(actions('merge_request').sort()).toEqual(['close', 'merge', 'open', 'reopen', 'update']);
    expect(attributesOf('merge_request').some(({ oldrev }) => oldrev !== undefined)).toBe(true);
    const lines = attributesOf('note on Commit').map(({ line_code: code }) => code);
    expect(lines).toEqual(expect.arrayContaining([null, expect.any(String)]));
  });

  it.each(Object.keys(PAYLOAD_FIELDS))('%s: has its fields, in their order and formats', (kind) => {
    const shape = PAYLOAD_FIELDS[kind] ?? {};
    const own = { types: OWN_TYPES, acceptsNullOrMissing: false };
    const differences = payloads(kind).flatMap((payload) => keyDifferences(payload, shape));
    expect([...new Set(differences)]).toEqual([]);
    expect(payloads(kind).flatMap((payload) => deviations(payload, shape, own))).toEqual([]);
  });

  const taken = RECEIVERS.flatMap((one) => Object.keys(one.kinds).map((kind) => ({ one, kind })));

  it.each(taken.map(({ one, kind }) => [one.name, kind, one] as const))(
    '%s reads %s',
    (_, kind, one) => {
      const shape = one.kinds[kind] ?? {};
      expect(payloads(kind).length).toBeGreaterThan(0);
      expect(payloads(kind).flatMap((payload) => deviations(payload, shape, one))).toEqual([]);
    },
  );

  it.each(Object.keys(GO_GITLAB_V4.kinds))('of version 4: go-gitlab of 2024 reads %s', (kind) => {
    const found = sentV4.get(kind) ?? [];
    expect(found.length).toBeGreaterThan(0);
    const shape = GO_GITLAB_V4.kinds[kind] ?? {};
    expect(found.flatMap((payload) => deviations(payload, shape, GO_GITLAB_V4))).toEqual([]);
    const lacking = found
      .filter((payload) => !isWithoutCommits(payload))
      .flatMap((payload) =>
        (DECISIVE_FIELDS[kind] ?? []).filter((path) => valueAt(payload, path) === undefined),
      );
    expect([...new Set(lacking)]).toEqual([]);
  });

  it('of version 4 cover its kinds and actions', () => {
    expect([...sentV4.keys()].sort()).toEqual([...Object.keys(GO_GITLAB_V4.kinds), 'emoji'].sort());
    const actions = (kind: string) => [
      ...new Set(sentV4.get(kind)?.map(({ object_attributes: { action } }) => action)),
    ];
    expect(actions('merge_request').sort()).toEqual([
      'approved',
      'close',
      'merge',
      'open',
      'reopen',
      'unapproved',
      'update',
    ]);
    expect(actions('note on MergeRequest').sort()).toEqual(['create', 'update']);
    const times = JSON.stringify([...sentV4.values()]).match(/"(?:created|updated)_at":"[^"]*"/g);
    expect(times?.every((time) => /_at":"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC"$/.test(time))).toBe(
      true,
    );
  });

  it('fail with a type that a receiver cannot read', () => {
    const [request] = payloads('merge_request');
    const [pipeline] = payloads('pipeline');
    const broken = {
      ...request,
      object_attributes: {
        ...request?.object_attributes,
        merge_params: { force_remove_source_branch: false },
        last_commit: { timestamp: '2016-11-24T15:06:40.000+00:00' },
      },
    };
    const read = (one: Receiver, kind: string, payload: object) =>
      deviations(payload, one.kinds[kind] ?? {}, one);
    expect(read(GO_GITLAB, 'merge_request', broken)).toEqual([
      'object_attributes.merge_params.force_remove_source_branch is false, not string',
    ]);
    expect(read(JENKINS, 'merge_request', broken)).toEqual([
      'object_attributes.last_commit.timestamp is "2016-11-24T15:06:40.000+00:00", not Date',
    ]);
    const duration = { ...pipeline?.object_attributes, duration: 2.5 };
    expect(read(GO_GITLAB, 'pipeline', { ...pipeline, object_attributes: duration })).toEqual([
      'object_attributes.duration is 2.5, not int',
    ]);
    expect(read(ROCKET_CHAT, 'push', {})).toContain('commits is missing');
  });

  it('are compared by key: unknown, missing and displaced ones are named', () => {
    const shape = {
      id: 'int',
      'note?': 'string',
      items: [{ a: 'int', b: 'int', c: 'int' }],
    } as const;
    const item = { a: 1, b: 2, c: 3 };
    expect(keyDifferences({ id: 1, items: [item] }, shape)).toEqual([]);
    expect(keyDifferences({ id: 1, more: 2, items: [item] }, shape)).toEqual([
      'payload: more is not in fields.ts (after id)',
    ]);
    expect(keyDifferences({ items: [{ z: 0, ...item }] }, shape)).toEqual([
      'payload: id is missing from the payload',
      'items: z is not in fields.ts (at the beginning)',
    ]);
    expect(keyDifferences({ id: 1, items: [{ b: 2, c: 3, a: 1 }] }, shape)).toEqual([
      'items: a stands at another position',
    ]);
    expect(keyDifferences({ id: 1, items: [{ c: 3, b: 2, a: 1 }] }, shape)).toEqual([
      'items: the keys stand in another order: c, b, a',
    ]);
  });

  it('have readable times for all committer dates', () => {
    const odd = payloads('push').find(({ ref }) => ref === 'refs/heads/odd-times');
    expect(odd?.commits.map(({ timestamp }) => timestamp)).toEqual(
      ODD_TIMES.map(([, time]) => time),
    );
  });

  it('have durations of whole seconds, except those of builds', () => {
    const build = payloads('build').find(({ build_status: status }) => status === 'success');
    expect(build?.build_duration).toBeGreaterThan(2.3);
    expect(build?.commit.duration).toBe(Math.trunc(build?.build_duration ?? 0));
    const pipeline = attributesOf('pipeline').find(({ status }) => status === 'success');
    expect(pipeline?.duration).toBe(build?.commit.duration);
  });

  it('report the source branch in the words of the clients', () => {
    const params = attributesOf('merge_request').map(
      ({ source_branch: branch, action, merge_params: given }) => ({ branch, action, given }),
    );
    const branches = [...new Set(params.map(({ branch }) => branch))].sort();
    const byAction = (action: string) =>
      params
        .filter((one) => one.action === action)
        .map(({ given }) => JSON.stringify(given))
        .sort();
    expect(branches).toHaveLength(3);
    expect(byAction('open')).toEqual([
      '{"force_remove_source_branch":"0"}',
      '{"force_remove_source_branch":"1"}',
      '{"force_remove_source_branch":null}',
    ]);
    expect(byAction('merge')).toEqual([
      '{"force_remove_source_branch":"1","should_remove_source_branch":"0"}',
      '{"force_remove_source_branch":"1"}',
      '{"force_remove_source_branch":null,"should_remove_source_branch":"1"}',
    ]);
  });
});

/** A value within a payload, by the names on the way to it. */
function valueAt(payload: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name], payload);
}

/** A push that deletes a ref, or has no commits, brings none. */
const isWithoutCommits = ({ commits }: Partial<Payload>): boolean => commits?.length === 0;

function kindOf(
  { path }: Delivery,
  { object_kind: kind, event_name: event, ...rest }: Payload,
): string {
  if (path === '/system') return kind === undefined ? String(event) : `system ${kind}`;
  if (kind === 'note') return `note on ${rest.object_attributes.noteable_type}`;
  return String(kind);
}
