import { Get, Param, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import {
  Answers,
  AnswersList,
  BooleanParam,
  PageQuery,
  StringParam,
} from '../../../platform/http/index.js';
import { mapPage, type Page } from '../../../platform/pagination/index.js';
import { Caller, Requires } from '../../authorization/index.js';
import { User } from '../../users/index.js';
import { TopicsService } from '../topics/topics.service.js';
import { presentV4Topic, V4TopicView } from './topic.view.js';

/** `GET /topics`. */
class V4ListTopicsDto extends PageQuery {
  @StringParam({
    blank: 'absent',
    description: 'What the name contains; fewer than three characters find nothing.',
  })
  search?: string;

  @BooleanParam({
    description: 'Only topics that no project has; for administrators.',
    default: false,
  })
  without_projects?: boolean;
}

@V4Controller('topics', 'Topics')
export class V4TopicsController {
  constructor(private readonly topics: TopicsService) {}

  /** The topics of internal and public projects, those of most projects first; for administrators those of all. */
  @Get()
  @Requires('topic:read')
  @AnswersList(V4TopicView)
  async list(@Caller() caller: User, @Query() query: V4ListTopicsDto): Promise<Page<V4TopicView>> {
    const { search, without_projects: withoutProjects = false } = query;
    const topics = await this.topics.list(caller, { search, withoutProjects }, query);
    return mapPage(topics, presentV4Topic);
  }

  /** One topic. */
  @Get(':topic_id')
  @Requires('topic:read')
  @Answers(V4TopicView)
  async read(@Caller() caller: User, @Param('topic_id') id: number): Promise<V4TopicView> {
    return presentV4Topic(await this.topics.read(caller, id));
  }
}
