import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { PushedProject, PushedProjects } from './pushed-projects.js';

export const SUBMODULE = '1234567890'.repeat(4);
export const ODD = 'odd "name"\n-ünü';

export interface VariedProject extends PushedProject {
  /** Path of the repository's routes. */
  base: string;
}

/**
 * A project whose newest commit changes files in every way there is: changed, gone, moved, made
 * executable, binary, a link, a submodule, a name and a text out of the ordinary. `master` and
 * `feature/slash` are there.
 */
export async function makeVaried(projects: PushedProjects): Promise<VariedProject> {
  const pushed = await projects.make();
  const { project, work } = pushed;
  const at = (name: string) => path.join(work.folder, name);
  await mkdir(at('docs/deep'), { recursive: true });
  await writeFile(at('docs/deep/page.md'), '# Page\n');
  await writeFile(at('docs/moved.txt'), 'one\ntwo\nthree\nfour\nfive\n');
  await writeFile(at('gone.txt'), 'gone\n');
  await writeFile(at('run.sh'), 'echo\n');
  await work.commit('Before');
  await work.git('mv', 'docs/moved.txt', 'zz.txt');
  await work.git('rm', '--quiet', 'gone.txt');
  await chmod(at('run.sh'), 0o755);
  await symlink('run.sh', at('link'));
  await writeFile(at('image.bin'), Buffer.from([1, 0, 2]));
  await writeFile(at(ODD), 'odd\n');
  await writeFile(at('latin1.txt'), Buffer.from('caf\xe9\n', 'latin1'));
  await mkdir(at('module'));
  await work.git('update-index', '--add', '--cacheinfo', `160000,${SUBMODULE},module`);
  const head = await work.commit('After');
  await work.git('branch', 'feature/slash');
  const { code, stderr } = await work.push('HEAD:refs/heads/master', 'feature/slash');
  if (code !== 0) throw new Error(stderr);
  return { project, work, head, base: `/projects/${String(project.id)}/repository` };
}
