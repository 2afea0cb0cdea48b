import { Injectable } from '@nestjs/common';
import { notFound } from '../../platform/errors/index.js';
import type { SlotCaller } from '../../platform/limits/index.js';
import {
  accessFor,
  canSee,
  type ProjectAccess,
  ProjectAccessRepository,
} from '../authorization/index.js';
import type { User } from '../users/index.js';
import { MarkdownRenderer } from './markdown-renderer.js';

/** A text of a client, which is stored nowhere. */
export interface GivenText {
  readonly text: string;
  readonly isFlavored: boolean;
  /** ID or full path of the project that it is read in. */
  readonly project: string | undefined;
}

/** Renders texts that clients send. */
@Injectable()
export class MarkdownService {
  constructor(
    private readonly renderer: MarkdownRenderer,
    private readonly projects: ProjectAccessRepository,
  ) {}

  /** @throws DomainError not found, for a project that the reader does not see; SlotsTakenError */
  async render(
    reader: User,
    client: SlotCaller,
    { text, isFlavored, project }: GivenText,
  ): Promise<string> {
    const home = project === undefined ? null : await this.readProject(reader, client, project);
    return this.renderer.render(text, { reader, client, home, isFlavored });
  }

  private async readProject(
    reader: User,
    client: SlotCaller,
    reference: string,
  ): Promise<ProjectAccess> {
    const access = await this.projects.findByReference(reader, reference);
    if (access === null || !canSee(access)) throw notFound('project');
    return accessFor(client, access);
  }
}
