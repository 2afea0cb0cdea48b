import { Injectable } from '@nestjs/common';
import { Database, plannedOnce } from '../../platform/database/index.js';
import { Urls } from '../../platform/urls/index.js';
import type { PushProjectView, PushRepositoryView } from './feeds/event.view.js';

/** What the payloads of events contain of a project. */
export interface PayloadProject {
  id: number;
  name: string;
  description: string | null;
  /** Path with the namespace's. */
  fullPath: string;
  /** The group's name, or the full name of the personal namespace's owner. */
  namespaceName: string;
  visibilityLevel: number;
  defaultBranch: string | null;
  storage: string;
}

const FIND = `
  SELECT p.id, p.name, p.description, n.path || '/' || p.path AS "fullPath",
         coalesce(u.name, n.name) AS "namespaceName", p.visibility_level AS "visibilityLevel",
         p.default_branch AS "defaultBranch", p.storage
    FROM projects p
    JOIN namespaces n ON n.id = p.namespace_id
    LEFT JOIN users u ON u.id = n.owner_id
   WHERE p.id = ANY(${plannedOnce('$1', 'int')})`;

/** Loads projects and formats them for payloads. See docs/reference/hooks.md#shared-objects. */
@Injectable()
export class ProjectObjects {
  constructor(
    private readonly database: Database,
    private readonly urls: Urls,
  ) {}

  /** Null for a project whose row no longer exists. */
  async find(id: number): Promise<PayloadProject | null> {
    return (await this.findAll([id])).get(id) ?? null;
  }

  /** By ID, in one statement. */
  async findAll(ids: readonly number[]): Promise<ReadonlyMap<number, PayloadProject>> {
    if (ids.length === 0) return new Map();
    const rows = await this.database.rows<PayloadProject>(FIND, [[...new Set(ids)]]);
    return new Map(rows.map((project) => [project.id, project]));
  }

  project(project: PayloadProject): PushProjectView {
    const { web, ssh, http } = this.addresses(project);
    return { ...this.briefProject(project), homepage: web, url: ssh, ssh_url: ssh, http_url: http };
  }

  /** The project object without the older names of its addresses, as pipelines have it. */
  briefProject(
    project: PayloadProject,
  ): Omit<PushProjectView, 'homepage' | 'url' | 'ssh_url' | 'http_url'> {
    const { web, ssh, http } = this.addresses(project);
    return {
      name: project.name,
      description: project.description,
      web_url: web,
      avatar_url: null,
      git_ssh_url: ssh,
      git_http_url: http,
      namespace: project.namespaceName,
      visibility_level: project.visibilityLevel,
      path_with_namespace: project.fullPath,
      default_branch: project.defaultBranch,
    };
  }

  repository(
    project: PayloadProject,
  ): Pick<PushRepositoryView, 'name' | 'url' | 'description' | 'homepage'> {
    const { web, ssh } = this.addresses(project);
    return { name: project.name, url: ssh, description: project.description, homepage: web };
  }

  /** The repository object with the clone addresses, as pushes and builds have it. */
  repositoryWithCloneUrls(project: PayloadProject): PushRepositoryView {
    const { ssh, http } = this.addresses(project);
    return {
      ...this.repository(project),
      git_http_url: http,
      git_ssh_url: ssh,
      visibility_level: project.visibilityLevel,
    };
  }

  /** The address of a page within a project. */
  url({ fullPath }: PayloadProject, ...segments: string[]): string {
    return this.urls.web(...fullPath.split('/'), ...segments);
  }

  private addresses({ fullPath }: PayloadProject): { web: string; ssh: string; http: string } {
    return {
      web: this.urls.project(fullPath),
      ssh: this.urls.gitOverSsh(fullPath),
      http: this.urls.gitOverHttp(fullPath),
    };
  }
}
