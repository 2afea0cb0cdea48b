import { Injectable } from '@nestjs/common';
import { notFound } from '../../../platform/errors/index.js';
import { describeInParts, type Page, type PageRequest } from '../../../platform/http/index.js';
import type { ProjectAccess, Subject } from '../../access/index.js';
import { authorOf, type User, UsersRepository } from '../../users/index.js';
import { type EventTarget, EventTargets } from './event-targets.js';
import { type PayloadProject, ProjectObjects } from '../project-objects.js';
import { type FeedEvent, FeedsRepository, type ListedEvent } from './feeds.repository.js';

export interface DescribedEvent {
  event: FeedEvent;
  /** The ghost in the place of a deleted account. */
  author: User;
  /** Null for what is done to nothing else, or to what is gone. */
  target: EventTarget | null;
  /** Who wrote the target, where it is a comment. */
  noteAuthor: User | null;
  /** Of pushes. */
  project: PayloadProject | null;
}

@Injectable()
export class FeedsService {
  constructor(
    private readonly feeds: FeedsRepository,
    private readonly targets: EventTargets,
    private readonly users: UsersRepository,
    private readonly projects: ProjectObjects,
  ) {}

  /** What happened in a project, as far as the reader may know. */
  async ofProject(
    access: ProjectAccess,
    reader: Subject,
    request: PageRequest,
  ): Promise<Page<DescribedEvent>> {
    return this.describe(await this.feeds.ofProject(access, reader, request));
  }

  /**
   * What somebody did in the projects that the reader sees.
   * @throws DomainError not found for an account that is not there
   */
  async ofUser(userId: number, reader: User, request: PageRequest): Promise<Page<DescribedEvent>> {
    if ((await this.users.findById(userId)) === null) throw notFound('User');
    return this.describe(await this.feeds.ofAuthor(userId, reader, request));
  }

  private async describe(page: Page<ListedEvent>): Promise<Page<DescribedEvent>> {
    const sizeOf = await this.targets.sizes(page.items);
    return describeInParts(
      page,
      (event) => event.dataBytes + (sizeOf(event) ?? 0),
      async (events) => this.describeEvents(await this.feeds.withData(events)),
    );
  }

  private async describeEvents(events: readonly FeedEvent[]): Promise<DescribedEvent[]> {
    const targetOf = await this.targets.load(events);
    const described = events.map((event) => ({ event, target: targetOf(event) }));
    const authors = await this.users.findAuthors(
      described.flatMap(({ event, target }) => [
        event.authorId,
        ...(target?.note ? [target.note.authorId] : []),
      ]),
    );
    const projects = await this.projects.findAll(
      events.filter(({ data }) => data !== null).map(({ projectId }) => projectId),
    );
    const author = (id: number): User => authorOf(authors, id);
    return described.map(({ event, target }) => ({
      event,
      target,
      author: author(event.authorId),
      noteAuthor: target?.note ? author(target.note.authorId) : null,
      project: projects.get(event.projectId) ?? null,
    }));
  }
}
