import { VARIABLES, type Variable } from './schema.js';

const HEADER = `# Every variable the service reads. Copy this file to .env and remove the "#" of the lines to change.
# The environment wins over .env; an empty value counts as unset.
`;

function block(name: string, variable: Variable<unknown>): string {
  return [
    `# ${variable.description}.`,
    `# Allowed: ${variable.kind.allowed}.`,
    ...(variable.unset === undefined ? [] : [`# Unset: ${variable.unset}.`]),
    `#${name}=${variable.default ?? ''}`,
    '',
  ].join('\n');
}

/** The text of `.env.example`: all variables with their defaults, commented out. */
export function renderEnvExample(): string {
  const blocks = Object.entries(VARIABLES).map(([name, variable]) => block(name, variable));
  return [HEADER, ...blocks].join('\n');
}
