import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { type Values, type Variable, type VariableName, VARIABLES } from './schema.js';

/**
 * The process environment on top of the `.env` file of a folder: what is really set wins.
 * @throws when the file is there and cannot be read
 */
export function readEnvironment(
  env: NodeJS.ProcessEnv = process.env,
  folder: string = process.cwd(),
): NodeJS.ProcessEnv {
  return { ...parseEnv(readIfThere(join(folder, '.env'))), ...env };
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** The environment holds values the service cannot use; `problems` has one line for each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly string[]) {
    super(`The configuration cannot be used:\n${problems.map((line) => `  ${line}`).join('\n')}`);
  }
}

function withoutCredentials(text: string): string {
  if (!URL.canParse(text)) return '(not shown)';
  const url = new URL(text);
  const credentials = url.username || url.password ? '***@' : '';
  return `"${url.protocol}//${credentials}${url.host}${url.pathname}"`;
}

function shown(variable: Variable<unknown>, text: string): string {
  if (variable.secret === 'whole') return '(not shown)';
  return variable.secret === 'url' ? withoutCredentials(text) : JSON.stringify(text);
}

/**
 * Parses every variable of the schema. An empty variable counts as unset, as compose files and
 * `.env` files leave them behind.
 * @throws ConfigError naming every variable that has an unusable value
 */
export function parseVariables(env: NodeJS.ProcessEnv): Values {
  const problems: string[] = [];
  const parseOne = (name: string, variable: Variable<unknown>): unknown => {
    const text = env[name] === undefined || env[name] === '' ? variable.default : env[name];
    if (text === undefined) return undefined;
    const value = variable.kind.parse(text);
    if (value === undefined) {
      problems.push(`${name}=${shown(variable, text)}, allowed: ${variable.kind.allowed}`);
    }
    return value;
  };
  const entries = Object.entries(VARIABLES).map(
    ([name, variable]) => [name, parseOne(name, variable)] as const,
  );
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.fromEntries(entries) as Record<VariableName, unknown> as Values;
}

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
