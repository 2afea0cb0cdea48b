import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { forbidden, recordNotFound } from '../../../platform/errors/index.js';
import type { Page, PageRequest } from '../../../platform/pagination/index.js';
import type { ProjectRef } from '../../authorization/index.js';
import { type Release, ReleasesRepository } from '../../repository/index.js';
import type { ReleaseLink } from './release-link.entity.js';
import { assertLink, assertRoom, type LinkValues, storedLink } from './release-link.rules.js';
import { ReleaseLinksRepository } from './release-links.repository.js';

/** Links of releases to their assets. Writes lock the release, so that they see each other's links. */
@Injectable()
export class ReleaseLinksService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly releases: ReleasesRepository,
    private readonly links: ReleaseLinksRepository,
  ) {}

  /** The newest first. @throws DomainError record not found */
  async list(project: ProjectRef, tag: string, request: PageRequest): Promise<Page<ReleaseLink>> {
    return this.links.page((await this.findRelease(project, tag)).id, request);
  }

  /** @throws DomainError record not found */
  async read(project: ProjectRef, tag: string, id: number): Promise<ReleaseLink> {
    return existing(await this.links.find((await this.findRelease(project, tag)).id, id));
  }

  /** Returns the address of the asset at a path of the release. @throws DomainError record not found */
  async readTarget(project: ProjectRef, tag: string, path: string): Promise<string> {
    const { id } = await this.findRelease(project, tag);
    return existing(await this.links.findByPath(id, `/${path}`)).url;
  }

  /** @throws DomainError record not found, invalid fields, forbidden */
  create(project: ProjectRef, tag: string, values: LinkValues): Promise<ReleaseLink> {
    return this.write(project, tag, async (release, links) => {
      const link = storedLink(values);
      assertRoom(links.length + 1);
      assertLink(link, links);
      const [id = 0] = await this.links.insert(release.id, [link]);
      return existing(await this.links.find(release.id, id));
    });
  }

  /** Changes the given values. @throws DomainError record not found, invalid fields, forbidden */
  update(
    project: ProjectRef,
    tag: string,
    id: number,
    changes: Partial<LinkValues>,
  ): Promise<ReleaseLink> {
    return this.write(project, tag, async (release, links) => {
      const { name, url, filepath, linkType } = existing(links.find((link) => link.id === id));
      const values = storedLink({ name, url, filepath, linkType, ...changes });
      assertLink(
        values,
        links.filter((link) => link.id !== id),
      );
      await this.links.update(id, values);
      return existing(await this.links.find(release.id, id));
    });
  }

  /** @returns the deleted link @throws DomainError record not found, forbidden */
  remove(project: ProjectRef, tag: string, id: number): Promise<ReleaseLink> {
    return this.write(project, tag, async (_, links) => {
      const link = existing(links.find((one) => one.id === id));
      await this.links.delete(id);
      return link;
    });
  }

  private async findRelease(project: ProjectRef, tag: string): Promise<Release> {
    const release = await this.releases.find(project.id, tag);
    if (release === null) throw recordNotFound('release');
    return release;
  }

  /** Changes the links of a release that is locked. */
  private write(
    project: ProjectRef,
    tag: string,
    change: (release: Release, links: readonly ReleaseLink[]) => Promise<ReleaseLink>,
  ): Promise<ReleaseLink> {
    if (project.archived) throw forbidden();
    return this.work.run(async () => {
      const release = await this.releases.lock(project.id, tag);
      if (release === null) throw recordNotFound('release');
      const links = (await this.links.ofReleases([release.id])).get(release.id) ?? [];
      const link = await change(release, links);
      await this.releases.update(release.id, {});
      return link;
    });
  }
}

/** @throws DomainError record not found */
function existing(link: ReleaseLink | null | undefined): ReleaseLink {
  if (link === null || link === undefined) throw recordNotFound('release-link');
  return link;
}
