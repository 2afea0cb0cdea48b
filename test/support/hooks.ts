import type { HookKind, HookVersion } from '../../src/modules/hooks/model/hook.entity.js';
import { PayloadVersions } from '../../src/modules/hooks/payloads/hook-payloads.js';
import type { MadeProject, Person } from './factories.js';
import type { Trellis } from './trellis.js';

/** Flags for all events of project hooks. */
export const ALL_EVENTS = {
  push_events: true,
  tag_push_events: true,
  issues_events: true,
  note_events: true,
  merge_requests_events: true,
  build_events: true,
  pipeline_events: true,
};

/** An event that is queued for a hook. */
export interface QueuedEvent {
  kind: string;
  /** As it is sent. */
  body: Record<string, unknown>;
}

interface EventRow {
  kind: HookKind;
  version: HookVersion;
  facts: object;
  /** Null while the payload is not complete. */
  body: string | null;
  projectId: number | null;
}

/** A hook without a receiver, whose deliveries stay queued. */
export class QueueingHook {
  private seen = 0;

  private constructor(
    private readonly trellis: Trellis,
    readonly id: number,
  ) {}

  /** @param flags events that it subscribes to */
  static async ofProject(
    trellis: Trellis,
    owner: Person,
    { id }: Pick<MadeProject, 'id'>,
    flags: object,
  ): Promise<QueueingHook> {
    const input = { url: 'https://receiver.example.com/', push_events: false, ...flags };
    const { body } = await trellis
      .as(owner)
      .post(`/projects/${String(id)}/hooks`, input)
      .expect(200);
    return new QueueingHook(trellis, (body as { id: number }).id);
  }

  /** A hook that version 4 made. */
  static async ofVersion4(
    trellis: Trellis,
    owner: Person,
    { id }: Pick<MadeProject, 'id'>,
    flags: object,
  ): Promise<QueueingHook> {
    const input = { url: 'https://receiver.example.com/', push_events: false, ...flags };
    const { body } = await trellis
      .as(owner)
      .v4.post(`/projects/${String(id)}/hooks`, input)
      .expect(201);
    return new QueueingHook(trellis, (body as { id: number }).id);
  }

  static async ofInstance(
    trellis: Trellis,
    admin: Person,
    flags: object = {},
  ): Promise<QueueingHook> {
    const input = { url: 'https://receiver.example.com/', push_events: false, ...flags };
    const { body } = await trellis.as(admin).post('/hooks', input).expect(200);
    return new QueueingHook(trellis, (body as { id: number }).id);
  }

  /** The events queued since the last call, the oldest first. */
  async queuedEvents(): Promise<QueuedEvent[]> {
    const rows = await this.trellis.rows<EventRow>(
      `SELECT e.kind, e.api_version AS version, e.facts, e.body, h.project_id AS "projectId"
         FROM hook_deliveries d JOIN hook_events e ON e.id = d.event_id JOIN hooks h ON h.id = d.hook_id
        WHERE d.hook_id = $1 AND d.state = 'pending' ORDER BY d.id OFFSET $2`,
      [this.id, this.seen],
    );
    this.seen += rows.length;
    const versions = this.trellis.app.get(PayloadVersions);
    return Promise.all(
      rows.map(async ({ kind, version, facts, body, projectId }) => {
        const source = { projectId, readsGit: true };
        const complete = () => versions.of(version).complete(kind, facts, source);
        const sent = body ?? JSON.stringify(await complete());
        return { kind, body: JSON.parse(sent) as Record<string, unknown> };
      }),
    );
  }

  /** The payload of the only event queued since the last call. */
  async queuedPayload(): Promise<Record<string, unknown>> {
    const events = await this.queuedEvents();
    expect(events).toHaveLength(1);
    return events[0]?.body ?? {};
  }
}

/** A user as payloads of version 4 contain it. */
export const v4UserObject = ({ user }: Person) => ({
  id: user.id,
  name: user.name,
  username: user.username,
  avatar_url: expect.stringContaining('gravatar') as string,
  email: '[REDACTED]',
});

/** A user as payloads contain it. */
export const userObject = ({ user }: Person) => ({
  name: user.name,
  username: user.username,
  avatar_url: expect.stringContaining('gravatar') as string,
});

interface ShownProject {
  name: string;
  description: string | null;
  web_url: string;
  ssh_url_to_repo: string;
  http_url_to_repo: string;
  visibility_level: number;
  path_with_namespace: string;
  default_branch: string | null;
}

/** A project as payloads contain it: the new form, the older one, and that of pushes. */
export async function projectObjects(trellis: Trellis, owner: Person, { id }: { id: number }) {
  const { body } = await trellis
    .as(owner)
    .get(`/projects/${String(id)}`)
    .expect(200);
  const shown = body as ShownProject;
  const { name, description, web_url, visibility_level } = shown;
  const [ssh, http] = [shown.ssh_url_to_repo, shown.http_url_to_repo];
  const repository = { name, url: ssh, description, homepage: web_url };
  const brief = {
    name,
    description,
    web_url,
    avatar_url: null,
    git_ssh_url: ssh,
    git_http_url: http,
    namespace: owner.user.name,
    visibility_level,
    path_with_namespace: shown.path_with_namespace,
    default_branch: shown.default_branch,
  };
  return {
    webUrl: web_url,
    brief,
    project: { ...brief, homepage: web_url, url: ssh, ssh_url: ssh, http_url: http },
    repository,
    pushedRepository: { ...repository, git_http_url: http, git_ssh_url: ssh, visibility_level },
  };
}
