import { ProjectUploads } from './project-uploads.js';
import { SweepUploads } from './sweep-uploads.js';
import { UploadDownloads } from './upload-downloads.js';
import { UploadDownloadsController } from './upload-downloads.controller.js';
import { UploadReceiver } from './upload-receiver.js';
import { UploadsController } from './uploads.controller.js';
import { UploadsService } from './uploads.service.js';

export const UPLOAD_CONTROLLERS = [UploadDownloadsController, UploadsController];

/** Files that texts link to. */
export const UPLOAD_PROVIDERS = [
  ProjectUploads,
  SweepUploads,
  UploadDownloads,
  UploadReceiver,
  UploadsService,
];
