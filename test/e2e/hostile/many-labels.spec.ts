import type { MadeGroup, MadeProject, Person } from '../../support/factories.js';
import { openIssue } from '../../support/issues.js';
import { Trellis } from '../../support/trellis.js';

const MANY = 1_000;

describe('GET /groups/:id/issues with very many labels', () => {
  let trellis: Trellis;
  let owner: Person;
  let group: MadeGroup;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    group = await trellis.factories.group(owner);
    project = await trellis.factories.project(owner, { namespaceId: group.id });
  });

  it('lists the issues that have all of them', async () => {
    const names = Array.from({ length: MANY }, (_, at) => at.toString(36));
    await trellis.rows(
      `INSERT INTO labels (project_id, name, color) SELECT $1, name, '#428BCA' FROM unnest($2::text[]) name`,
      [project.id, names],
    );
    const all = await openIssue(trellis, owner, project, {});
    await openIssue(trellis, owner, project, { labels: names.slice(1, 500).join() });
    await trellis.rows(
      `INSERT INTO label_links (target_type, target_id, label_id, author_id, state, confidential, created_at)
       SELECT 'Issue', i.id, l.id, i.author_id, i.state, i.confidential, i.created_at
         FROM issues i JOIN labels l ON l.project_id = i.project_id WHERE i.id = $1`,
      [all.id],
    );
    const { body, headers } = await trellis
      .as(owner)
      .get(`/groups/${String(group.id)}/issues?labels=${names.join()}`)
      .expect(200);
    expect((body as { id: number }[]).map(({ id }) => id)).toEqual([all.id]);
    expect(headers['x-total']).toBe('1');
  });
});
