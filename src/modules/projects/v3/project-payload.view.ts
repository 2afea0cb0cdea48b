import { Injectable } from '@nestjs/common';
import { Urls } from '../../../platform/config/index.js';
import { presentVisibility } from '../../authorization/v3/index.js';
import { type PayloadProject, ProjectsRepository } from '../model/projects.repository.js';

/** A project in payloads, with the older names of its addresses. */
export class PushProjectView {
  name!: string;
  description!: string | null;
  web_url!: string;
  /** Always null. */
  avatar_url!: string | null;
  git_ssh_url!: string;
  git_http_url!: string;
  /** Display name of the namespace. */
  namespace!: string;
  visibility_level!: number;
  path_with_namespace!: string;
  default_branch!: string | null;
  homepage!: string;
  url!: string;
  ssh_url!: string;
  http_url!: string;
}

/** The repository of a project in payloads. */
export class PushRepositoryView {
  name!: string;
  url!: string;
  description!: string | null;
  homepage!: string;
  git_http_url!: string;
  git_ssh_url!: string;
  visibility_level!: number;
}

/** The project object without the older names of its addresses. */
type BriefPayloadProject = Omit<PushProjectView, 'homepage' | 'url' | 'ssh_url' | 'http_url'>;

/** Builds the project and repository objects of payloads. See docs/reference/hooks.md#shared-objects. */
@Injectable()
export class ProjectPayloadBuilder {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly urls: Urls,
  ) {}

  /** @returns null for a project whose row does not exist any more */
  async find(id: number): Promise<PayloadProject | null> {
    return (await this.findAll([id])).get(id) ?? null;
  }

  /** Finds projects by ID, with one statement. */
  findAll(ids: readonly number[]): Promise<ReadonlyMap<number, PayloadProject>> {
    return this.projects.findForPayloads(ids);
  }

  project(project: PayloadProject): PushProjectView {
    const { web, ssh, http } = this.addresses(project);
    return { ...this.briefProject(project), homepage: web, url: ssh, ssh_url: ssh, http_url: http };
  }

  /** The project object of pipelines. */
  briefProject(project: PayloadProject): BriefPayloadProject {
    const { web, ssh, http } = this.addresses(project);
    return {
      name: project.name,
      description: project.description,
      web_url: web,
      avatar_url: null,
      git_ssh_url: ssh,
      git_http_url: http,
      namespace: project.namespaceName,
      visibility_level: presentVisibility(project.visibility),
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

  /** The repository object of pushes and builds, with the clone addresses. */
  repositoryWithCloneUrls(project: PayloadProject): PushRepositoryView {
    const { ssh, http } = this.addresses(project);
    return {
      ...this.repository(project),
      git_http_url: http,
      git_ssh_url: ssh,
      visibility_level: presentVisibility(project.visibility),
    };
  }

  /** Returns the address of a page of a project. */
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
