import { Injectable } from '@nestjs/common';
import { notFound } from '../../../platform/errors/index.js';
import { mapPage, Page, type PageRequest } from '../../../platform/pagination/index.js';
import type { Subject } from '../../authorization/index.js';
import type { Topic } from './topic.entity.js';
import { type TopicCount, TopicsRepository } from './topics.repository.js';

/** A shorter search finds nothing: it has no trigram. */
const LEAST_SEARCHED = 3;

/** A topic, and how many projects have it of those by which the reader finds topics. */
export interface CountedTopic {
  readonly topic: Topic;
  readonly projects: number;
}

/** Reading topics. The name of a topic that private projects alone have is shown to administrators only. */
@Injectable()
export class TopicsService {
  constructor(private readonly topics: TopicsRepository) {}

  /**
   * Lists topics, those of most projects first. Those without projects are listed to administrators.
   * @param search a part of the name; one of fewer than three characters finds nothing
   */
  async list(
    reader: NonNullable<Subject>,
    { search, withoutProjects }: { search?: string | undefined; withoutProjects?: boolean },
    request: PageRequest,
  ): Promise<Page<CountedTopic>> {
    if (search !== undefined && [...search].length < LEAST_SEARCHED)
      return Page.cut([], 0, request);
    const count = countFor(reader);
    const filters = { count, text: search, isUnused: withoutProjects };
    const page = await this.topics.page(filters, request);
    return mapPage(page, (topic) => ({ topic, projects: topic[count] }));
  }

  /** @throws DomainError not found, also for one that the reader does not find */
  async read(reader: NonNullable<Subject>, id: number): Promise<CountedTopic> {
    const topic = await this.topics.find(id);
    const count = countFor(reader);
    if (topic === null || (count !== 'projectsCount' && topic[count] === 0))
      throw notFound('topic');
    return { topic, projects: topic[count] };
  }
}

function countFor({ admin, external }: NonNullable<Subject>): TopicCount {
  if (admin) return 'projectsCount';
  return external ? 'publicProjectsCount' : 'internalProjectsCount';
}
