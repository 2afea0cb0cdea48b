import { CopiedSources } from './copied-sources.js';
import { CopyOutcome } from './copy-outcome.js';
import { CopyRepository } from './copy-repository.js';
import { ForkCopiesRepository } from './fork-copies.repository.js';
import { ForkDrafts } from './fork-drafts.js';
import { ForkLinksRepository } from './fork-links.repository.js';
import { ForksService } from './forks.service.js';
import { MakeFork } from './make-fork.js';

export const FORK_PROVIDERS = [
  CopiedSources,
  CopyOutcome,
  CopyRepository,
  ForkCopiesRepository,
  ForkDrafts,
  ForkLinksRepository,
  ForksService,
  MakeFork,
];
