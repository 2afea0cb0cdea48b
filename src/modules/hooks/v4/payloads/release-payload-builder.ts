import { Injectable } from '@nestjs/common';
import { nameOf, ReleaseLinksRepository } from '../../../releases/index.js';
import { V4ReleasePresenter } from '../../../releases/v4/index.js';
import {
  describeCommit,
  type ReleaseChanged,
  ReleasesRepository,
} from '../../../repository/index.js';
import { formatTime, V4SharedObjects } from './shared-objects.js';

/** Builds the payloads of releases. See docs/reference/v4-releases.md#hooks. */
@Injectable()
export class ReleasePayloadBuilder {
  constructor(
    private readonly releases: ReleasesRepository,
    private readonly links: ReleaseLinksRepository,
    private readonly presenter: V4ReleasePresenter,
    private readonly objects: V4SharedObjects,
  ) {}

  /** Null when the release or its project no longer exists. */
  async buildRelease(event: ReleaseChanged): Promise<object | null> {
    const { projectId, releaseId, action, commit } = event;
    const project = await this.objects.findProject(projectId);
    const release = (await this.releases.findByIds([releaseId])).get(releaseId);
    if (project === null || release === undefined) return null;
    const { id, tag, description, createdAt, releasedAt } = release;
    const [namespacePath = '', path = ''] = project.fullPath.split('/');
    const linked = { id: projectId, namespacePath, path };
    const links = (await this.links.ofReleases([id])).get(id) ?? [];
    const sources = this.presenter.sources(linked, tag);
    return {
      object_kind: 'release',
      id,
      created_at: formatTime(createdAt),
      description,
      name: nameOf(release),
      released_at: formatTime(releasedAt ?? createdAt),
      tag,
      project: this.objects.project(project),
      url: this.presenter.page(linked, tag),
      action,
      assets: {
        count: links.length + sources.length,
        links: links.map((link) => ({
          id: link.id,
          link_type: link.linkType,
          name: link.name,
          url: link.url,
        })),
        sources,
      },
      commit: commit && this.objects.commit(project, describeCommit(commit)),
    };
  }
}
