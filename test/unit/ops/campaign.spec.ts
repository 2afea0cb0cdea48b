import { runNode } from './script-modules.js';

const OF_SCRIPTS = [
  ...[
    'crash',
    'faults',
    'postgres',
    'machines',
    'upgrade',
    'proxies',
    'node',
    'clients',
    'hostile',
    'fuzz',
  ],
];

describe('npm run campaign', () => {
  it('lists the campaigns', async () => {
    const { code, said } = await runNode(['scripts/campaign.mjs', '--list']);
    expect(code).toBe(0);
    const names = said.split('\n').map((line) => line.split(' ')[0]);
    expect(names.slice(0, OF_SCRIPTS.length)).toEqual(OF_SCRIPTS);
    expect(names).toContain('storage');
  });

  it('disables the compile cache of Node', async () => {
    const code = `import { runNode } from './scripts/child.mjs';
      const { output } = await runNode(['-p', 'process.env.NODE_DISABLE_COMPILE_CACHE']);
      console.log(output.trim());`;
    const { said } = await runNode(['--input-type=module', '--eval', code]);
    expect(said).toBe('1\n');
  });

  it.each([
    [['crash', 'no-such'], /^No campaign is called no-such. There are:\ncrash +kills/],
    [['crash', '--seed', 'x'], /^--seed takes a number from 0 to 999999\n/],
  ])('refuses %p', async (args, message) => {
    const { code, said } = await runNode(['scripts/campaign.mjs', ...args]);
    expect(code).toBe(1);
    expect(said).toMatch(message);
  });
});
