import { Injectable } from '@nestjs/common';
import { v4Address } from '../../../faces/index.js';
import { Urls } from '../../../platform/config/index.js';
import { allows, type ProjectAccess, type ProjectRef } from '../../authorization/index.js';
import { presentV4Milestone } from '../../issuables/v4/index.js';
import { V4CommitPresenter } from '../../repository/v4/index.js';
import { V4UserPresenter } from '../../users/v4/index.js';
import type { ReleaseLink } from '../links/release-link.entity.js';
import { nameForGuests, nameOf } from '../model/release-names.js';
import type { CountedMilestone } from '../model/release-milestones.repository.js';
import type { DescribedRelease } from '../releases.service.js';
import type {
  V4ReleaseForGuestView,
  V4ReleaseLinksView,
  V4ReleaseLinkView,
  V4ReleaseMilestoneView,
  V4ReleaseSourceView,
  V4ReleaseView,
} from './release.view.js';

type LinkedProject = Pick<ProjectRef, 'id' | 'path' | 'namespacePath'>;

const SOURCES = ['zip', 'tar.gz', 'tar.bz2', 'tar'];

/** Presents releases, with the addresses of their pages. */
@Injectable()
export class V4ReleasePresenter {
  constructor(
    private readonly urls: Urls,
    private readonly commits: V4CommitPresenter,
    private readonly users: V4UserPresenter,
  ) {}

  /** Presents a release as far as the caller of the access may read it. */
  listed(
    access: ProjectAccess,
    described: DescribedRelease,
  ): V4ReleaseView | V4ReleaseForGuestView {
    return allows(access, 'code:browse')
      ? this.release(access, described)
      : this.forGuest(access, described);
  }

  release(access: ProjectAccess, described: DescribedRelease): V4ReleaseView {
    const { project } = access;
    const { release, commit } = described;
    const { tag } = release;
    const links = described.links.map((link) => this.link(project, tag, link));
    const sources = this.sources(project, tag);
    return {
      ...this.forGuest(access, described),
      name: nameOf(release),
      tag_name: tag,
      assets: { count: sources.length + links.length, sources, links },
      commit: commit && this.commits.listed(project, commit),
      ...(commit && { commit_path: this.path(project, 'commit', commit.oid) }),
      tag_path: this.path(project, 'tags', tag),
      _links: this.pages(access, tag),
    };
  }

  /** Without what has the name of the tag. */
  private forGuest(access: ProjectAccess, described: DescribedRelease): V4ReleaseForGuestView {
    const { project } = access;
    const { release, author, milestones } = described;
    const { createdAt, description } = release;
    const releasedAt = release.releasedAt ?? createdAt;
    const links = described.links.map((link) => presentLink(link, link.url));
    return {
      name: nameForGuests(release),
      description,
      created_at: createdAt,
      released_at: releasedAt,
      upcoming_release: releasedAt.getTime() > Date.now(),
      author: author && this.users.basic(author),
      ...(milestones.length > 0 && {
        milestones: milestones.map((counted) => this.milestone(project, counted)),
      }),
      assets: { count: links.length, links },
      evidences: [],
      _links: {},
    };
  }

  link(project: ProjectRef, tag: string, link: ReleaseLink): V4ReleaseLinkView {
    const { url, filepath } = link;
    const page = this.page(project, tag);
    return presentLink(link, filepath === null ? url : `${page}/downloads${filepath}`);
  }

  /** The archives of a tag, at the address of the API that takes a token. */
  sources({ id }: LinkedProject, tag: string): V4ReleaseSourceView[] {
    const archive = v4Address(this.urls, 'projects', String(id), 'repository', 'archive');
    const query = `?sha=${encodeURIComponent(tag)}`;
    return SOURCES.map((format) => ({ format, url: `${archive}.${format}${query}` }));
  }

  /** The page of a release; a slash in the name of its tag is encoded. */
  page(project: LinkedProject, tag: string): string {
    return `${this.project(project)}/-/releases/${encodeURIComponent(tag)}`;
  }

  private milestone(
    { namespacePath, path }: ProjectRef,
    { milestone, issues }: CountedMilestone,
  ): V4ReleaseMilestoneView {
    const view = presentV4Milestone(milestone, `${namespacePath}/${path}`, this.urls);
    return { ...view, issue_stats: { total: issues.total, closed: issues.closed } };
  }

  private pages(access: ProjectAccess, tag: string): V4ReleaseLinksView {
    const self = this.page(access.project, tag);
    const project = this.project(access.project);
    const list = (kind: string, state: string): string =>
      `${project}/-/${kind}?release_tag=${encodeURIComponent(tag)}&scope=all&state=${state}`;
    return {
      closed_issues_url: list('issues', 'closed'),
      closed_merge_requests_url: list('merge_requests', 'closed'),
      ...(allows(access, 'code:push') && { edit_url: `${self}/edit` }),
      merged_merge_requests_url: list('merge_requests', 'merged'),
      opened_issues_url: list('issues', 'opened'),
      opened_merge_requests_url: list('merge_requests', 'opened'),
      self,
    };
  }

  private project({ namespacePath, path }: LinkedProject): string {
    return this.urls.project(`${namespacePath}/${path}`);
  }

  /** The path of a page, with what the address of the service has behind its host. */
  private path(project: ProjectRef, kind: string, name: string): string {
    return new URL(this.commits.page(project, kind, name)).pathname;
  }
}

const presentLink = (
  { id, name, url, linkType }: ReleaseLink,
  direct_asset_url: string,
): V4ReleaseLinkView => ({ id, name, url, direct_asset_url, link_type: linkType });
