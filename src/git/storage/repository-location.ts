import { RepositoryMissingError } from '../model/errors.js';
import type { GitCommand } from '../process/command-table.js';
import type { RunOptions, RunResult } from '../process/launcher.js';
import type { WorkKind } from '../process/process-scheduler.js';
import type { GitRuntime } from '../process/runtime.js';
import { statIfPresent } from './file-mark.js';

/** The path of a repository and the identity of its folder. A repository that is created anew has another identity. */
export class RepositoryLocation {
  private current: Promise<string> | undefined;

  constructor(
    readonly path: string,
    readonly runtime: GitRuntime,
  ) {}

  /**
   * Returns the identity of the current folder, the key of all caches. Calls within one tick share one
   * `stat`.
   * @throws RepositoryMissingError
   */
  identity(): Promise<string> {
    if (this.current === undefined) {
      this.current = this.readIdentity();
      process.nextTick(() => {
        this.current = undefined;
      });
    }
    return this.current;
  }

  /**
   * Runs a git command for the repository when the scheduler admits it.
   * @param kind by default the current kind of work
   */
  run(
    command: GitCommand,
    options: Omit<RunOptions, 'workload'>,
    kind: WorkKind = this.runtime.currentWorkKind(),
  ): Promise<RunResult> {
    const workload = { kind, repository: this.path };
    return this.runtime.launcher.run(command, { ...options, workload });
  }

  private readIdentity(): Promise<string> {
    const found = statIfPresent(this.path);
    if (found?.isDirectory() !== true) {
      return Promise.reject(new RepositoryMissingError(this.path));
    }
    const { dev, ino, birthtimeNs } = found;
    return Promise.resolve(`${this.path}\0${dev}:${ino}:${birthtimeNs}`);
  }
}
