import { Controller, Get, Query } from '@nestjs/common';
import { AnswersList, mapPage, type Page } from '../../platform/http/index.js';
import { Caller, Requires } from '../access/index.js';
import type { User } from '../users/index.js';
import { ListNamespacesDto } from './dto/list-namespaces.dto.js';
import { NamespaceView } from './namespace.view.js';
import { NamespacesRepository } from './namespaces.repository.js';

@Controller('namespaces')
export class NamespacesController {
  constructor(private readonly namespaces: NamespacesRepository) {}

  /** The caller's personal namespace and groups; administrators see every namespace. */
  @Get()
  @Requires('namespace:list')
  @AnswersList(NamespaceView)
  async list(
    @Caller() caller: User,
    @Query() query: ListNamespacesDto,
  ): Promise<Page<NamespaceView>> {
    const page = await this.namespaces.list(caller, query.search, query);
    return mapPage(page, ({ id, path, ownerId, name }) => ({
      id,
      path,
      kind: ownerId === null ? 'group' : 'user',
      name,
    }));
  }
}
