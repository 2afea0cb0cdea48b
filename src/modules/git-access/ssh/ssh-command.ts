import type { RepositoryPath, GitService } from '../repository-access.js';

/** A parsed command line. */
export type SshCommand =
  /** No command: a user tests whether the key works. */
  | { kind: 'greeting' }
  | { kind: 'git'; service: GitService; path: RepositoryPath }
  /** A git command with an argument that cannot be the path of a project. */
  | { kind: 'nowhere'; service: GitService }
  | { kind: 'other' };

/**
 * The program and one argument in single quotes, as git quotes it: a quote and an exclamation mark are outside
 * of them, after a backslash. No shell interprets the line.
 */
const COMMAND = /^(git-(?:upload-pack|receive-pack|upload-archive)) '([^]*)'$/;
const ESCAPED = /'\\(['!])'/g;

const NAME = '[A-Za-z0-9_.-]{1,255}';
const PATH = new RegExp(`^/?(${NAME})/(${NAME})$`);

/** Parses the command line of an exec request (docs/reference/git.md#ssh). @param line null for a shell */
export function parseSshCommand(line: string | null): SshCommand {
  if (line === null || line === '') return { kind: 'greeting' };
  const [, program, quoted = ''] = COMMAND.exec(line) ?? [];
  const isOneArgument = !quoted.replace(ESCAPED, '').includes("'");
  if (program === undefined || !isOneArgument) return { kind: 'other' };
  const service = program as GitService;
  const path = parsePath(quoted.replace(ESCAPED, '$1'));
  return path === null ? { kind: 'nowhere', service } : { kind: 'git', service, path };
}

function parsePath(text: string): RepositoryPath | null {
  const [, namespace, name] = PATH.exec(text) ?? [];
  const project = name?.replace(/\.git$/i, '');
  if (!namespace || !project) return null;
  return { namespace, project };
}
