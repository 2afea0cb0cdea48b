import { Module } from '@nestjs/common';
import { ClusterModule } from '../../platform/cluster/index.js';
import { MonitoringModule } from '../../platform/monitoring/index.js';
import { HooksModule } from '../hooks/index.js';
import { ProjectsModule } from '../projects/index.js';
import { StorageModule } from '../storage/index.js';
import { WebModule } from '../web/index.js';
import { ConsoleAuditController } from './audit/audit.controller.js';
import { ConsoleDeliveriesController } from './deliveries/deliveries.controller.js';
import { ConsoleJobsController } from './jobs/jobs.controller.js';
import { ConsoleJobsService } from './jobs/jobs.service.js';
import { ConsoleOverviewController } from './overview/overview.controller.js';
import { OverviewService } from './overview/overview.service.js';
import { ConsoleProcessesController } from './processes/processes.controller.js';
import { ConsoleStoragesController } from './storages/storages.controller.js';
import { ConsoleStoragesService } from './storages/storages.service.js';

/** The operators' console, for administrators. */
@Module({
  imports: [ClusterModule, HooksModule, MonitoringModule, ProjectsModule, StorageModule, WebModule],
  controllers: [
    ConsoleAuditController,
    ConsoleDeliveriesController,
    ConsoleJobsController,
    ConsoleOverviewController,
    ConsoleProcessesController,
    ConsoleStoragesController,
  ],
  providers: [ConsoleJobsService, ConsoleStoragesService, OverviewService],
})
export class ConsoleModule {}
