import { Module } from '@nestjs/common';
import { IssuablesModule } from '../issuables/index.js';
import { ProjectsModule } from '../projects/index.js';

@Module({ imports: [IssuablesModule, ProjectsModule] })
export class IssuesModule {}
