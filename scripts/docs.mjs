// Makes a site of the pages in docs/, in the folder `site`. Arguments are VitePress', such as `--base /trellis/`.
import { runNode } from './child.mjs';
import { inRoot } from './paths.mjs';
import { prepare } from './prepare.mjs';
import { main } from './problem.mjs';

await main(async () => {
  await prepare({ dev: true });
  const vitepress = inRoot('node_modules', 'vitepress', 'bin', 'vitepress.js');
  const args = [vitepress, 'build', inRoot('docs'), ...process.argv.slice(2)];
  const { code } = await runNode(args, { stdio: 'inherit' });
  process.exitCode = code;
});
