import { evaluate } from '../unit/ops/script-modules.js';

/** A port as the scripts choose theirs. */
export async function freePort(): Promise<number> {
  return (await evaluate('scripts/free-port.mjs', 'module.freePort()')) as number;
}
