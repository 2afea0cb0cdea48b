import { rename } from 'node:fs/promises';
import { ProjectStorage } from '../../../src/modules/storage/index.js';
import type { Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

describe('a repository that is removed while it is read', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(() => projects.remove());

  it('returns 503 with the reason for reads, writes, downloads and Git', async () => {
    const { project, work, head } = await projects.make();
    await work.commit('Second commit');
    await work.push('HEAD:refs/heads/topic');
    const at = `/projects/${String(project.id)}/repository`;
    // What a request knows of the folder, others know for a second.
    await trellis.as(owner).get(`${at}/branches`).expect(200);
    const folder = trellis.app.get(ProjectStorage).path({ id: project.id, storage: 'default' });
    await rename(folder, `${folder}.removing`);
    const missing = '503 Service Unavailable - the repository is missing in its storage';
    const reads = [
      ...[`commits/${head}/diff`, `commits/${head}`, 'commits', 'compare?from=master&to=topic'],
      ...[
        'tree?recursive=true',
        'contributors',
        'archive.zip',
        'files?file_path=file.txt&ref=topic',
      ],
    ];
    for (const read of reads) {
      const { status } = await trellis.as(owner).get(`${at}/${read}`);
      // What is cached is served.
      expect([read, status === 200 || status === 503]).toEqual([read, true]);
    }
    await trellis
      .as(owner)
      .post(`${at}/branches`, { branch_name: 'new', ref: head })
      .expect(503, { message: missing });
    for (const service of ['git-upload-pack', 'git-receive-pack']) {
      const { stderr } = await work.try('ls-remote', `--upload-pack=${service}`, work.remote);
      expect(stderr).toContain('the repository is missing in its storage');
    }
    const { stderr } = await work.push('HEAD:refs/heads/master');
    expect(stderr).toContain('the repository is missing in its storage');
  });
});
