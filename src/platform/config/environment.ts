import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { hostAddresses } from './host-addresses.js';
import { type Values, type Variable, type VariableName, VARIABLES } from './schema.js';

/**
 * The process environment on top of the `.env` file of a folder: what is really set wins.
 * @throws when the file is there and cannot be read
 */
export function readEnvironment(
  env: NodeJS.ProcessEnv = process.env,
  folder: string = process.cwd(),
): NodeJS.ProcessEnv {
  return { ...readEnvFile(folder), ...env };
}

const readEnvFile = (folder: string): NodeJS.ProcessEnv =>
  parseEnv(readIfThere(join(folder, '.env')));

/** Lists the names in the `.env` file of a folder that the service does not read. */
export function unknownVariables(folder: string = process.cwd()): string[] {
  const known = schema().flatMap(([name, { secret }]) =>
    secret ? [name, fileVariable(name)] : [name],
  );
  return Object.keys(readEnvFile(folder)).filter((name) => !known.includes(name));
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

/** An address without user, password and query; null if a password that is not encoded may have ended up in its other parts. */
function withoutCredentials(text: string): string | null {
  const [url, ...others] = hostAddresses(text).map((address) => new URL(address)) as [
    URL,
    ...URL[],
  ];
  if (`${url.pathname}${url.search}${url.hash}`.includes('@')) return null;
  const credentials = url.username || url.password ? '***@' : '';
  const hosts = [url, ...others].map(({ host }) => host).join(',');
  return `${url.protocol}//${credentials}${hosts}${url.pathname}`;
}

function shown(variable: Variable<unknown>, text: string): string {
  const isAddress = hostAddresses(text).every((address) => URL.canParse(address));
  const isHidden = variable.secret === 'whole' || (variable.secret && !isAddress);
  const value = isHidden ? null : variable.secret === 'url' ? withoutCredentials(text) : text;
  return value === null ? '(not shown)' : JSON.stringify(value);
}

/** The text of one variable, before it is parsed. */
interface VariableText {
  /** Absent if the variable is neither set nor has a default. */
  readonly text?: string | undefined;
  /** The variable that the text was set by; absent for a default. */
  readonly setBy?: string;
  /** The path of the file that holds the text. */
  readonly file?: string;
}

/** Returns the content of a file that has one line, as an editor or `echo` leaves it. */
export const withoutLineBreak = (text: string): string => text.replace(/\r?\n$/, '');

/** The variable that names a file with the value of a secret. */
const fileVariable = (name: string): string => `${name}_FILE`;

const schema = (): [string, Variable<unknown>][] => Object.entries(VARIABLES);

/**
 * Reads the text of a variable, from a file if it is a secret and NAME_FILE is set. An empty variable counts as unset, as
 * compose files and `.env` files leave them behind.
 * @returns a problem instead of a text that cannot be read
 */
function readText(
  env: NodeJS.ProcessEnv,
  [name, variable]: readonly [string, Variable<unknown>],
): VariableText | string {
  const text = env[name] === '' ? undefined : env[name];
  const file = variable.secret && env[fileVariable(name)];
  if (!file) return text === undefined ? { text: variable.default } : { text, setBy: name };
  const label = `${fileVariable(name)}=${JSON.stringify(file)}`;
  if (text !== undefined) return `${label}, but ${name} is set, too: remove one of them`;
  try {
    const content = withoutLineBreak(readFileSync(file, 'utf8'));
    if (content === '') return `${label}, but the file is empty`;
    return { text: content, setBy: fileVariable(name), file };
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    return `${label}, but the file cannot be read: ${reason}`;
  }
}

/**
 * Parses every variable of the schema.
 * @throws ConfigError naming every variable that has an unusable value
 */
export function parseVariables(env: NodeJS.ProcessEnv): Values {
  const problems: string[] = [];
  const parseOne = (name: string, variable: Variable<unknown>): unknown => {
    const read = readText(env, [name, variable]);
    if (typeof read === 'string') return void problems.push(read);
    const { text, file } = read;
    if (text === undefined) return undefined;
    const value = variable.kind.parse(text);
    if (value === undefined) {
      const label =
        file === undefined
          ? `${name}=${shown(variable, text)}`
          : `${fileVariable(name)}=${JSON.stringify(file)} holds a value that cannot be used`;
      const reason = variable.kind.explain?.(text);
      const because = reason === undefined ? '' : `: ${reason}`;
      problems.push(`${label}${because}, allowed: ${variable.kind.allowed}`);
    }
    return value;
  };
  const entries = schema().map(([name, variable]) => [name, parseOne(name, variable)] as const);
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.fromEntries(entries) as Record<VariableName, unknown> as Values;
}

/** What is in force for one variable. */
export interface EffectiveSetting {
  readonly name: string;
  /** Without secrets; null if it is unset and has no fixed default. */
  readonly value: string | null;
  /** `default`, `environment`, `.env`, or `file` with a path. */
  readonly source: string;
  /** What happens when the variable is unset, if that is so. */
  readonly unset?: string | undefined;
}

/**
 * Lists the settings that `loadConfig(readEnvironment(env, folder))` uses, and where they come from.
 * @throws ConfigError naming every variable that has an unusable value
 */
export function describeSettings(
  env: NodeJS.ProcessEnv = process.env,
  folder: string = process.cwd(),
): EffectiveSetting[] {
  const merged = readEnvironment(env, folder);
  parseVariables(merged);
  return schema().map(([name, variable]) => {
    const read = readText(merged, [name, variable]);
    // A file that became unreadable in between.
    if (typeof read === 'string') throw new ConfigError([read]);
    const { text, setBy, file } = read;
    if (text === undefined) return { name, value: null, source: 'default', unset: variable.unset };
    const source = setBy === undefined ? 'default' : setBy in env ? 'environment' : '.env';
    const value = masked(variable, text);
    return { name, value, source: file === undefined ? source : `file ${file}` };
  });
}

function masked(variable: Variable<unknown>, text: string): string {
  if (variable.secret === 'whole') return '***';
  if (variable.secret !== 'url') return text;
  const addresses = text.split(/\s+/);
  return addresses.map((address) => withoutCredentials(address) ?? '***').join(' ');
}

const HEADER = `# Every variable the service reads. Copy this file to .env and remove the "#" of the lines to change.
# The environment wins over .env; an empty value counts as unset. Of a variable with a secret, NAME_FILE names a file that
# holds the value instead, as those of Docker, Kubernetes and systemd; a line break at its end is no part of the value.
`;

function block(name: string, variable: Variable<unknown>): string {
  return [
    `# ${variable.description}.`,
    `# Allowed: ${variable.kind.allowed}.`,
    ...(variable.unset === undefined ? [] : [`# Unset: ${variable.unset}.`]),
    `#${name}=${variable.default ?? ''}`,
    ...(variable.secret === undefined ? [] : [`#${fileVariable(name)}=`]),
    '',
  ].join('\n');
}

/** The text of `.env.example`: all variables with their defaults, commented out. */
export function renderEnvExample(): string {
  const blocks = schema().map(([name, variable]) => block(name, variable));
  return [HEADER, ...blocks].join('\n');
}
