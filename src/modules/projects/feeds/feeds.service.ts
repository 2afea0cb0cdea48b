import { Injectable } from '@nestjs/common';
import { notFound } from '../../../platform/errors/index.js';
import { mapPage, type Page, type PageRequest } from '../../../platform/http/index.js';
import { allows, type ProjectAccess } from '../../access/index.js';
import { type User, UsersRepository } from '../../users/index.js';
import { type FeedEvent, FeedsRepository } from './feeds.repository.js';

export interface AuthoredEvent {
  event: FeedEvent;
  /** The ghost in the place of a deleted account. */
  author: User;
}

@Injectable()
export class FeedsService {
  constructor(
    private readonly feeds: FeedsRepository,
    private readonly users: UsersRepository,
  ) {}

  /** What happened in a project, as far as the reader may know. */
  async ofProject(access: ProjectAccess, request: PageRequest): Promise<Page<AuthoredEvent>> {
    const withCode = allows(access, 'code:read');
    return this.withAuthors(await this.feeds.ofProject(access.project.id, withCode, request));
  }

  /**
   * What somebody did in the projects that the reader sees.
   * @throws DomainError not found for an account that is not there
   */
  async ofUser(userId: number, reader: User, request: PageRequest): Promise<Page<AuthoredEvent>> {
    if ((await this.users.findById(userId)) === null) throw notFound('User');
    return this.withAuthors(await this.feeds.ofAuthor(userId, reader, request));
  }

  private async withAuthors(page: Page<FeedEvent>): Promise<Page<AuthoredEvent>> {
    const authors = await this.users.findAuthors(page.items.map(({ authorId }) => authorId));
    return mapPage(page, (event) => {
      const author = authors.get(event.authorId);
      if (author === undefined) throw new Error(`Nobody stands for user ${String(event.authorId)}`);
      return { event, author };
    });
  }
}
