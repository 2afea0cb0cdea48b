import { Module } from '@nestjs/common';
import { IssuablesModule } from '../issuables/index.js';
import { emptyResourceControllers } from './v4/empty-resources.controller.js';

/** The resources of GitLab's version 4 that are empty here. */
@Module({ imports: [IssuablesModule], controllers: emptyResourceControllers() })
export class CatalogueModule {}
