import { Injectable } from '@nestjs/common';
import { invalidFields } from '../../../../platform/errors/index.js';
import { OutboundHosts } from '../../../../platform/net/index.js';
import { Outbox } from '../../../../platform/queue/index.js';
import { ActivityLog } from '../../../activity/index.js';
import type { User } from '../../../users/index.js';
import type { Project } from '../../model/project.entity.js';
import { importRepository } from './import-repository.job.js';
import { type ImportSource, parseImportUrl } from './import-source.js';
import { ImportsRepository } from './imports.repository.js';
import type { ProjectImport } from './project-import.entity.js';

/** Imports of repositories from other servers (docs/reference/projects.md#import-addresses). */
@Injectable()
export class ImportsService {
  constructor(
    private readonly hosts: OutboundHosts,
    private readonly imports: ImportsRepository,
    private readonly activity: ActivityLog,
    private readonly outbox: Outbox,
  ) {}

  /** Reads the latest import of a project; null when there was none. */
  read(projectId: number): Promise<ProjectImport | null> {
    return this.imports.find(projectId);
  }

  /**
   * Parses the address of an import. The job resolves host names later.
   * @throws DomainError invalid fields, also for hosts that are refused by name
   */
  parseUrl(url: string): ImportSource {
    const source = parseImportUrl(url);
    if (source === null || this.hosts.refuses(source.host)) {
      throw invalidFields({ importUrl: [{ rule: 'not-an-import-address' }] });
    }
    return source;
  }

  /**
   * Starts the import of a new project, in the unit of work that inserts the project. The repository stays empty
   * and pushes wait until the import has ended.
   */
  async begin(project: Project, user: User, source: ImportSource): Promise<void> {
    await this.imports.insert(project.id, user.id, source);
    await this.outbox.add(importRepository.with({ projectId: project.id }));
  }

  /** Starts the import of an existing project, in the caller's unit of work. Replaces an import that has ended. */
  async restart(project: Project, user: User, source: ImportSource): Promise<void> {
    await this.imports.removeEnded(project.id);
    await this.begin(project, user, source);
    const { id: projectId } = project;
    await this.activity.record([{ projectId, authorId: user.id, action: 'imported' }]);
  }
}
