import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from '../../../../src/git/index.js';
import { eventually } from '../../queue/support/eventually.js';
import { git, type Workshop } from './workshop.js';

const LIMIT_MS = 10_000;
/** Ends by itself, so that a test that fails leaves no process behind. */
const AWAIT = `await() {
  for turn in $(seq 1000); do [ -e "$1" ] && return; sleep 0.01; done
}`;

/** A git whose `repack` waits between choosing packs and starting `pack-objects`. */
export class PausedPacking {
  private constructor(
    readonly git: Git,
    private readonly workshop: Workshop,
    private readonly folder: string,
  ) {}

  static async create(workshop: Workshop): Promise<PausedPacking> {
    const folder = workshop.path('paused');
    const programs = join(folder, 'programs');
    await mkdir(programs, { recursive: true });
    const original = join(await git(['--exec-path']), 'git');
    await writeScript(
      join(programs, 'git'),
      AWAIT,
      `case " $* " in *" pack-objects "*) ;; *) exec ${original} "$@" ;; esac`,
      `: > ${folder}/chosen`,
      `await ${folder}/resumed`,
      `${original} "$@"`,
      'code=$?',
      `: > ${folder}/packed`,
      'exit $code',
    );
    const executable = join(folder, 'git');
    await writeScript(executable, `GIT_EXEC_PATH=${programs} exec ${original} "$@"`);
    const room = await workshop.anotherRoom({ executable });
    return new PausedPacking(room, workshop, folder);
  }

  /** Resolves when `repack` has chosen packs. */
  async untilChosen(): Promise<void> {
    await eventually(() => expect(existsSync(join(this.folder, 'chosen'))).toBe(true), LIMIT_MS);
  }

  /** Makes packing go on, and end, while the next push has moved its packs and not yet its refs. */
  async resumeDuringPush(): Promise<void> {
    await writeScript(
      join(this.workshop.folder, 'runtime', 'hooks', 'reference-transaction'),
      AWAIT,
      '[ "$1" = prepared ] || exit 0',
      'rm "$0"',
      `: > ${this.folder}/resumed`,
      `await ${this.folder}/packed`,
    );
  }
}

function writeScript(path: string, ...lines: string[]): Promise<void> {
  return writeFile(path, ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 });
}
