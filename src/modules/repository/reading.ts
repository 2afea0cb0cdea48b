import { ArchiveController } from './archive/archive.controller.js';
import { ArchiveService } from './archive/archive.service.js';
import { BlobsController } from './blobs/blobs.controller.js';
import { BlobsService } from './blobs/blobs.service.js';
import { FileFinder } from './blobs/file-finder.js';
import { CompareController } from './compare/compare.controller.js';
import { CompareService } from './compare/compare.service.js';
import { ContributorsController } from './contributors/contributors.controller.js';
import { ContributorsService } from './contributors/contributors.service.js';
import { DiffsController } from './diffs/diffs.controller.js';
import { DiffsService } from './diffs/diffs.service.js';
import { FilesController } from './files/files.controller.js';
import { FilesService } from './files/files.service.js';
import { TagReleases } from './tags/tag-releases.js';
import { TagsController } from './tags/tags.controller.js';
import { TagsService } from './tags/tags.service.js';
import { TreeController } from './tree/tree.controller.js';
import { TreeService } from './tree/tree.service.js';

/** What answers questions about the content of a repository. */
export const READING_CONTROLLERS = [
  ArchiveController,
  BlobsController,
  CompareController,
  ContributorsController,
  DiffsController,
  FilesController,
  TagsController,
  TreeController,
];

export const READING_PROVIDERS = [
  ArchiveService,
  BlobsService,
  CompareService,
  ContributorsService,
  DiffsService,
  FileFinder,
  FilesService,
  TagReleases,
  TagsService,
  TreeService,
];
