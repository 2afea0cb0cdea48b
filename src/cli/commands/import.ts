import type { Command } from 'commander';
import { addImportRepositories } from './import-repositories.js';
import { addImportServer } from './import-server.js';

/** Adds `trellis import` with its commands. */
export function addImport(program: Command): void {
  const group = program.command('import').description('take over what other places have');
  addImportRepositories(group);
  addImportServer(group);
}
