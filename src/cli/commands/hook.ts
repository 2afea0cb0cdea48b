import type { Command } from 'commander';
import type { HookVersion } from '../../modules/hooks/index.js';
import { type CommandCall, type CommandResult, concludeWith } from '../conclude.js';
import { UsageError } from '../errors.js';

/** Adds `trellis hook`. Hooks are named by their IDs, those of the instance as well. */
export function addHook(program: Command): void {
  const hook = program.command('hook').description('manage hooks of projects and of the instance');
  concludeWith(
    hook
      .command('set-version <id> <version>')
      .description('send a hook the payloads and headers of version 3 or 4 of the API'),
    setVersion,
  );
}

async function setVersion({ args }: CommandCall<object>): Promise<CommandResult> {
  const { id, version } = toHookVersion(args);
  const { withApplication } = await import('../open.js');
  const { HookVersionsService } = await import('../../modules/hooks/index.js');
  const hook = await withApplication((app) => app.get(HookVersionsService).set(id, version));
  return {
    text: `Hook ${String(id)} (${new URL(hook.url).host}) gets version ${String(version)} from now on.`,
    json: { id, project_id: hook.projectId, version },
  };
}

/** @throws UsageError for arguments that cannot be understood */
export function toHookVersion([id = '', version = '']: readonly string[]): {
  id: number;
  version: HookVersion;
} {
  if (!/^[1-9]\d{0,8}$/.test(id)) throw new UsageError('The first argument is the id of a hook');
  if (version !== '3' && version !== '4') throw new UsageError('The version is 3 or 4');
  return { id: Number(id), version: version === '3' ? 3 : 4 };
}
