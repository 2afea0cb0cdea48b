import { Injectable } from '@nestjs/common';
import { notFound } from '../../platform/errors/index.js';
import type { SlotCaller } from '../../platform/limits/index.js';
import { describeInParts, Page, type PageRequest } from '../../platform/pagination/index.js';
import {
  type ListReader,
  type ProjectAccess,
  type Subject,
  WideLists,
} from '../authorization/index.js';
import { authorOf, type User, UsersRepository } from '../users/index.js';
import { type EventTarget, EventTargets } from './event-targets.js';
import { type PayloadProject, ProjectsRepository } from '../projects/index.js';
import {
  type EventFilter,
  type FeedEvent,
  FeedsRepository,
  type ListedEvent,
} from './feeds.repository.js';

export interface DescribedEvent {
  event: FeedEvent & Pick<ListedEvent, 'id'>;
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
    private readonly wide: WideLists,
  ) {}

  /**
   * Lists the events of a project that the reader may see.
   * @throws SlotsTakenError with a filter
   */
  async listOfProject(
    access: ProjectAccess,
    reader: Subject,
    request: PageRequest,
    filter: EventFilter = {},
  ): Promise<Page<DescribedEvent>> {
    const list = () => this.feeds.listOfProject(access, reader, request, filter);
    return this.describe(await this.filtered(access.project.client ?? {}, filter, request, list));
  }

  /**
   * Lists the events of a user that the reader may see.
   * @throws DomainError not found
   * @throws SlotsTakenError with a filter, or without a credential
   */
  async listOfUser(
    userId: number,
    { reader, client }: ListReader,
    request: PageRequest,
    filter: EventFilter = {},
  ): Promise<Page<DescribedEvent>> {
    if ((await this.users.findById(userId)) === null) throw notFound('user');
    const list = () => this.feeds.listOfAuthor(userId, reader, request, filter);
    const page = await this.filtered(client, filter, request, list, { isCostly: reader === null });
    return this.describe(page);
  }

  /**
   * Lists the events of all projects that the reader is a member of.
   * @throws SlotsTakenError
   */
  async listOfMember(
    reader: NonNullable<Subject>,
    client: SlotCaller,
    request: PageRequest,
    filter: EventFilter = {},
  ): Promise<Page<DescribedEvent>> {
    const list = () => this.feeds.listOfMember(reader, request, filter);
    return this.describe(await this.filtered(client, filter, request, list, { isCostly: true }));
  }

  /**
   * A filter may look at the whole feed: it has no index.
   * @param options.isCostly whether the list takes a slot without a filter, too
   */
  private async filtered(
    reader: Partial<SlotCaller>,
    { actions, targetType, since, until }: EventFilter,
    request: PageRequest,
    list: () => Promise<Page<ListedEvent>>,
    { isCostly = false } = {},
  ): Promise<Page<ListedEvent>> {
    if (actions?.length === 0 || targetType === null) return Page.of<ListedEvent>([], request);
    const isPlain = [actions, targetType, since, until].every((filter) => filter === undefined);
    return isPlain && !isCostly ? list() : this.wide.read(reader, list);
  }

  private async describe(page: Page<ListedEvent>): Promise<Page<DescribedEvent>> {
    const sizeOf = await this.targets.loadSizes(page.items);
    return describeInParts(
      page,
      (event) => event.pushedRefBytes + (sizeOf(event) ?? 0),
      async (events) => this.describeEvents(await this.feeds.withPushedRefs(events)),
    );
  }

  private async describeEvents(
    events: readonly DescribedEvent['event'][],
  ): Promise<DescribedEvent[]> {
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
