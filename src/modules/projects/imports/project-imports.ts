import { Injectable } from '@nestjs/common';
import { invalidRecord } from '../../../platform/errors/index.js';
import { OutboundHosts } from '../../../platform/net/index.js';
import { Outbox } from '../../../platform/queue/index.js';
import type { User } from '../../users/index.js';
import type { Project } from '../project.entity.js';
import { type ImportSource, parseImportUrl } from './import-source.js';
import { importRepository } from './import.jobs.js';
import { ProjectImportsRepository } from './project-imports.repository.js';

/**
 * Lets a new project be filled from another server (`import_url`,
 * docs/reference/projects.md#import-addresses).
 */
@Injectable()
export class ProjectImports {
  constructor(
    private readonly hosts: OutboundHosts,
    private readonly imports: ProjectImportsRepository,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Reads `import_url`. Names are looked up later, by the job.
   * @throws DomainError invalid record (400), also for hosts that are refused whatever their name means
   */
  parse(url: string): ImportSource {
    const source = parseImportUrl(url);
    if (source === null || this.hosts.refuses(source.host)) {
      throw invalidRecord({ import_url: ['is not a valid URL'] });
    }
    return source;
  }

  /**
   * Call in the unit of work that makes the project, once its row is there. Until the import has
   * ended, its repository stays empty and pushes to it wait.
   */
  async begin(project: Project, user: User, source: ImportSource): Promise<void> {
    await this.imports.begin(project.id, user.id, source);
    await this.outbox.add(importRepository.with({ projectId: project.id }));
  }
}
