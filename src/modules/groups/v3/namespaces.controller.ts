import { Get, Query } from '@nestjs/common';
import { V3Controller } from '../../../faces/index.js';
import { AnswersList, PageQuery, StringParam } from '../../../platform/http/index.js';
import { mapPage, type Page } from '../../../platform/pagination/index.js';
import { Caller, Requires } from '../../authorization/index.js';
import type { User } from '../../users/index.js';
import { NamespaceView, presentNamespace } from './namespace.view.js';
import { NamespacesService } from '../namespaces/namespaces.service.js';

/** `GET /namespaces`. */
class ListNamespacesDto extends PageQuery {
  @StringParam({ description: 'What name or path contains.' })
  search?: string;
}

@V3Controller('namespaces', 'Namespaces')
export class NamespacesController {
  constructor(private readonly namespaces: NamespacesService) {}

  /** The caller's personal namespace and groups; for administrators every namespace. */
  @Get()
  @Requires('namespace:list')
  @AnswersList(NamespaceView)
  async list(
    @Caller() caller: User,
    @Query() query: ListNamespacesDto,
  ): Promise<Page<NamespaceView>> {
    return mapPage(await this.namespaces.list(caller, query.search, query), presentNamespace);
  }
}
