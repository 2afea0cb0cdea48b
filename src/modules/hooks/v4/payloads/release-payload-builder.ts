import { Injectable } from '@nestjs/common';
import type { Commit } from '../../../../git/index.js';
import { Urls } from '../../../../platform/config/index.js';
import { VISIBILITY_LEVEL } from '../../../authorization/index.js';
import { type PayloadProject, ProjectsRepository } from '../../../projects/index.js';
import { nameOf, ReleaseLinksRepository } from '../../../releases/index.js';
import { V4ReleasePresenter } from '../../../releases/v4/index.js';
import {
  describeCommit,
  type ReleaseChanged,
  ReleasesRepository,
  titleOf,
} from '../../../repository/index.js';

/** Builds the payloads of releases. See docs/reference/v4-releases.md#hooks. */
@Injectable()
export class ReleasePayloadBuilder {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly releases: ReleasesRepository,
    private readonly links: ReleaseLinksRepository,
    private readonly presenter: V4ReleasePresenter,
    private readonly urls: Urls,
  ) {}

  /** Null when the release or its project no longer exists. */
  async buildRelease(event: ReleaseChanged): Promise<object | null> {
    const { projectId, releaseId, action, commit } = event;
    const project = (await this.projects.findForPayloads([projectId])).get(projectId);
    const release = (await this.releases.findByIds([releaseId])).get(releaseId);
    if (project === undefined || release === undefined) return null;
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
      project: this.project(project),
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
      commit: commit && this.commit(project, commit),
    };
  }

  private project(project: PayloadProject): object {
    const { id, name, description, namespaceName, visibility, fullPath, defaultBranch } = project;
    const web = this.urls.project(fullPath);
    const ssh = this.urls.gitOverSsh(fullPath);
    const http = this.urls.gitOverHttp(fullPath);
    return {
      id,
      name,
      description,
      web_url: web,
      avatar_url: null,
      git_ssh_url: ssh,
      git_http_url: http,
      namespace: namespaceName,
      visibility_level: VISIBILITY_LEVEL[visibility],
      path_with_namespace: fullPath,
      default_branch: defaultBranch,
      ci_config_path: null,
      homepage: web,
      url: ssh,
      ssh_url: ssh,
      http_url: http,
    };
  }

  private commit({ fullPath }: PayloadProject, commit: Commit): object {
    const { oid, message, committedAt, author } = describeCommit(commit);
    return {
      id: oid,
      message,
      title: titleOf(message),
      timestamp: committedAt,
      url: `${this.urls.project(fullPath)}/-/commit/${oid}`,
      author,
    };
  }
}

/** As `2026-11-30 16:05:00 UTC`. */
const formatTime = (moment: Date): string =>
  `${moment.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
