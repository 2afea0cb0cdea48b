import { ImportOutcome } from './import-outcome.js';
import { ImportRepository } from './import-repository.js';
import { ProjectImports } from './project-imports.js';
import { ProjectImportsRepository } from './project-imports.repository.js';

export const IMPORT_PROVIDERS = [
  ImportOutcome,
  ImportRepository,
  ProjectImports,
  ProjectImportsRepository,
];
