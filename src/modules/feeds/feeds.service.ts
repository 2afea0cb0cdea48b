import { Injectable } from '@nestjs/common';
import { notFound } from '../../platform/errors/index.js';
import { describeInParts, type Page, type PageRequest } from '../../platform/pagination/index.js';
import type { ProjectAccess, Subject } from '../authorization/index.js';
import { authorOf, type User, UsersRepository } from '../users/index.js';
import { type EventTarget, EventTargets } from './event-targets.js';
import { type PayloadProject, ProjectsRepository } from '../projects/index.js';
import { type FeedEvent, FeedsRepository, type ListedEvent } from './feeds.repository.js';

export interface DescribedEvent {
  event: FeedEvent;
  /** The ghost account when the author is deleted. */
  author: User;
  /** Null for an event without target, or whose target is deleted. */
  target: EventTarget | null;
  /** The author of the target when that is a comment. */
  noteAuthor: User | null;
  /** Null except for pushes. */
  project: PayloadProject | null;
}

/** The feeds of projects and users. */
@Injectable()
export class FeedsService {
  constructor(
    private readonly feeds: FeedsRepository,
    private readonly targets: EventTargets,
    private readonly users: UsersRepository,
    private readonly projects: ProjectsRepository,
  ) {}

  /** Lists the events of a project that the reader may see. */
  async listOfProject(
    access: ProjectAccess,
    reader: Subject,
    request: PageRequest,
  ): Promise<Page<DescribedEvent>> {
    return this.describe(await this.feeds.listOfProject(access, reader, request));
  }

  /**
   * Lists the events of a user that the reader may see.
   * @throws DomainError not found
   */
  async listOfUser(
    userId: number,
    reader: User,
    request: PageRequest,
  ): Promise<Page<DescribedEvent>> {
    if ((await this.users.findById(userId)) === null) throw notFound('user');
    return this.describe(await this.feeds.listOfAuthor(userId, reader, request));
  }

  private async describe(page: Page<ListedEvent>): Promise<Page<DescribedEvent>> {
    const sizeOf = await this.targets.loadSizes(page.items);
    return describeInParts(
      page,
      (event) => event.pushedRefBytes + (sizeOf(event) ?? 0),
      async (events) => this.describeEvents(await this.feeds.withPushedRefs(events)),
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
    const projects = await this.projects.findForPayloads(
      events.filter(({ pushedRef }) => pushedRef !== null).map(({ projectId }) => projectId),
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
