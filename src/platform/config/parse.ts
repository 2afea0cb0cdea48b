import { VARIABLES, type Values, type Variable, type VariableName } from './schema.js';

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
