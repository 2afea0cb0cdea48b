import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const MODULES = resolve(__dirname, '../../../src/modules');

/** The rooms that declare refusals, resources or rules of fields, as the declarations name them. */
const ROOMS = readdirSync(MODULES, { recursive: true, encoding: 'utf8' })
  .filter((file) => /^[a-z-]+\/(?:(?!v3\/)[a-z-]+\/)?refusals\.ts$/.test(file))
  .map((file) => ({ file, room: file.split('/', 1)[0] ?? '' }));

describe('refusals of rooms', () => {
  it('are declared by several rooms', () => {
    expect(ROOMS.length).toBeGreaterThan(5);
  });

  it.each(ROOMS)('of $room are declared under its name', ({ file, room }) => {
    const text = readFileSync(join(MODULES, file), 'utf8');
    const names = [
      ...text.matchAll(/^ {2}interface \w+ \{\n(?: {4}\/\*\*.*\n)* {4}'?([a-z-]+)'?:/gm),
    ];
    expect(names.map(([, name]) => name)).toEqual(names.map(() => room));
    expect(names).not.toHaveLength(0);
  });

  it.each(ROOMS)('of $room are worded by its module', ({ room }) => {
    expect(existsSync(join(MODULES, room, 'v3/refusals.ts'))).toBe(true);
    const module = readFileSync(join(MODULES, room, `${room}.module.ts`), 'utf8');
    const [, answers = ''] =
      /^import \{ (\w+Answers) \} from '\.\/v3\/refusals\.js';$/m.exec(module) ?? [];
    expect(answers).not.toBe('');
    expect(module.split(answers)).toHaveLength(3);
  });
});
