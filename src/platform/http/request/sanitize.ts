import { type DomainError, invalidParameter } from '../../errors/index.js';
import type { RawParameters } from './request-parameters.js';

/** How deep values may be nested, in JSON as in form fields. */
export const MAX_DEPTH = 16;

export const NUL = '\u0000';

/**
 * Removes parameters that no part of the service accepts: with NUL characters, which the database
 * does not store, values nested too deep to be walked recursively, and names that reach prototypes.
 *
 * @returns the first refusal; the parameter that it names has been removed
 */
export function removeHarmful(parameters: RawParameters): DomainError | undefined {
  let refusal: DomainError | undefined;
  for (const [name, value] of Object.entries(parameters)) {
    if (name === '__proto__') {
      Reflect.deleteProperty(parameters, name);
    } else if (name.includes(NUL) || isHarmful(value)) {
      Reflect.deleteProperty(parameters, name);
      refusal ??= invalidParameter(`${name.replaceAll(NUL, '')} is invalid`);
    }
  }
  return refusal;
}

// Iterative, since the client chooses the depth.
function isHarmful(root: unknown): boolean {
  const open: [value: unknown, depth: number][] = [[root, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, depth] = next;
    if (typeof value === 'string') {
      if (value.includes(NUL)) return true;
    } else if (typeof value === 'object' && value !== null) {
      if (depth > MAX_DEPTH) return true;
      for (const [name, child] of Object.entries(value)) {
        if (name.includes(NUL)) return true;
        if (name === '__proto__') Reflect.deleteProperty(value, name);
        else open.push([child, depth + 1]);
      }
    }
  }
  return false;
}
