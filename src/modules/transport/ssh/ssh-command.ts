import type { RepositoryPath, Service } from '../repository-access.js';

/** What a client asks for over SSH. */
export type SshCommand =
  /** No command: somebody tries out whether their key works. */
  | { kind: 'greeting' }
  | { kind: 'git'; service: Service; path: RepositoryPath }
  /** A git command on what can be no project's path. */
  | { kind: 'nowhere'; service: Service }
  | { kind: 'other' };

/**
 * The program and one argument in single quotes, written as git does: a quote and an exclamation mark
 * stand outside of them, behind a backslash. There is no shell that would read it in another way.
 */
const COMMAND = /^(git-(?:upload-pack|receive-pack|upload-archive)) ('(?:[^']|'\\['!]')*')$/;

const NAME = '[A-Za-z0-9_.-]{1,255}';
const PATH = new RegExp(`^/?(${NAME})/(${NAME})$`);

/** Reads the command line of an exec request (docs/reference/git.md#ssh). @param line null for a shell */
export function parseSshCommand(line: string | null): SshCommand {
  if (line === null || line === '') return { kind: 'greeting' };
  const [, program, quoted] = COMMAND.exec(line) ?? [];
  if (program === undefined || quoted === undefined) return { kind: 'other' };
  const service = program as Service;
  const path = parsePath(unquote(quoted));
  return path === null ? { kind: 'nowhere', service } : { kind: 'git', service, path };
}

function unquote(quoted: string): string {
  return quoted.slice(1, -1).replace(/'\\(['!])'/g, '$1');
}

function parsePath(text: string): RepositoryPath | null {
  const [, namespace, name] = PATH.exec(text) ?? [];
  const project = name?.replace(/\.git$/i, '');
  if (!namespace || !project) return null;
  return { namespace, project };
}
