import { Get, Param, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import { Urls } from '../../../platform/config/index.js';
import { Answers, AnswersList, PageQuery, StringParam } from '../../../platform/http/index.js';
import { mapPage, type Page } from '../../../platform/pagination/index.js';
import { Caller, Requires } from '../../authorization/index.js';
import type { User } from '../../users/index.js';
import { NamespacesService } from '../namespaces/namespaces.service.js';
import { presentV4Namespace, V4NamespaceExistenceView, V4NamespaceView } from './namespace.view.js';

/** `GET /namespaces`. */
class V4ListNamespacesDto extends PageQuery {
  @StringParam({ blank: 'absent', description: 'What name or path contains.' })
  search?: string;
}

@V4Controller('namespaces', 'Namespaces')
export class V4NamespacesController {
  constructor(
    private readonly namespaces: NamespacesService,
    private readonly urls: Urls,
  ) {}

  /** The caller's personal namespace and groups; for administrators every namespace. */
  @Get()
  @Requires('namespace:list')
  @AnswersList(V4NamespaceView)
  async list(
    @Caller() caller: User,
    @Query() query: V4ListNamespacesDto,
  ): Promise<Page<V4NamespaceView>> {
    const page = await this.namespaces.list(caller, query.search, query);
    return mapPage(page, (namespace) => presentV4Namespace(namespace, this.urls));
  }

  /** A namespace, by ID or path: the caller's own, or a group that the caller may see. */
  @Get(':id')
  @Requires('namespace:list')
  @Answers(V4NamespaceView)
  async read(@Caller() caller: User, @Param('id') id: string): Promise<V4NamespaceView> {
    return presentV4Namespace(await this.namespaces.read(caller, id), this.urls);
  }

  /** Whether a path is taken by a group or user, and otherwise free ones like it. */
  @Get(':id/exists')
  @Requires('namespace:list')
  @Answers(V4NamespaceExistenceView)
  async exists(@Param('id') path: string): Promise<V4NamespaceExistenceView> {
    const { isTaken, free } = await this.namespaces.findTaken(path);
    return { exists: isTaken, suggests: free === null ? [] : [free] };
  }
}
