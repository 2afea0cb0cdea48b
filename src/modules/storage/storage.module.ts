import { Module } from '@nestjs/common';
import { SettingsModule } from '../settings/index.js';
import { ProjectStorage } from './repositories/project-storage.js';
import { ProjectMeasurement } from './quota/project-measurement.js';
import { ProjectSizesRepository } from './quota/project-sizes.repository.js';
import { StorageQuota } from './quota/storage-quota.js';
import { PushLock } from './repositories/push-lock.js';
import { RefMovesRepository } from './repositories/ref-moves.repository.js';
import { RepositoryLocks } from './repositories/repository-locks.repository.js';
import { UploadStorage } from './upload-storage.js';
import { UploadIdsRepository } from './uploads/upload-ids.repository.js';
import { UploadReceiver } from './uploads/upload-receiver.js';
import { UploadsService } from './uploads/uploads.service.js';
import { UploadDownloadsController, UploadsController } from './v3/uploads.controller.js';
import { storageAnswers } from './v3/refusals.js';
import { V4UploadsController } from './v4/uploads.controller.js';

@Module({
  imports: [SettingsModule],
  controllers: [UploadDownloadsController, UploadsController, V4UploadsController],
  providers: [
    storageAnswers,
    ProjectMeasurement,
    ProjectSizesRepository,
    ProjectStorage,
    PushLock,
    RefMovesRepository,
    RepositoryLocks,
    StorageQuota,
    UploadIdsRepository,
    UploadReceiver,
    UploadStorage,
    UploadsService,
  ],
  exports: [
    ProjectMeasurement,
    ProjectSizesRepository,
    ProjectStorage,
    PushLock,
    RefMovesRepository,
    RepositoryLocks,
    StorageQuota,
    UploadReceiver,
    UploadsService,
    UploadStorage,
  ],
})
export class StorageModule {}
