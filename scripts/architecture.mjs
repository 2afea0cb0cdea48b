// Writes docs/architecture.svg, with the modules as docs/design.md lists them, or with --check says whether it is up
// to date.
import { readFile } from 'node:fs/promises';
import { keepGenerated } from './generated.mjs';
import { inRoot } from './paths.mjs';
import { main, Problem } from './problem.mjs';

const DESIGN = inRoot('docs', 'design.md');
const FILE = 'docs/architecture.svg';

const WIDTH = 960;
const MARGIN = 24;
const INNER = WIDTH - 2 * MARGIN;
const LINE = 18;
/** Letters that stand for the space around a module's name. */
const PADDING = 4;
const FILLS = { outside: '#ffffff', process: '#e8f0fe', module: '#fef7e0', store: '#e6f4ea' };

/** The floors of `src/modules`, from the top: arrays of names. */
async function readFloors() {
  const design = await readFile(DESIGN, 'utf8');
  const block = /\*\*Floors\.\*\*[^`]*```\n([\s\S]*?)```/.exec(design)?.[1];
  if (block === undefined) throw new Problem('docs/design.md has no block of floors.');
  return block
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
}

function box({ x, y, width, height, title, lines = [], fill, weight = 600 }) {
  const middle = x + width / 2;
  const top = y + height / 2 - (lines.length * LINE) / 2 + 5;
  const texts = [title, ...lines].map((text, at) => {
    const style = at === 0 ? ` font-weight="${weight}"` : ' font-size="12" fill="#444"';
    return `<text x="${middle}" y="${top + at * LINE}" text-anchor="middle"${style}>${text}</text>`;
  });
  const shape = `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6" fill="${FILLS[fill]}" stroke="#888"/>`;
  return [shape, ...texts].join('\n');
}

/** Boxes of equal width side by side. */
function row(y, height, boxes) {
  const gap = 16;
  const width = (INNER - gap * (boxes.length - 1)) / boxes.length;
  return boxes.map((content, at) =>
    box({ ...content, x: MARGIN + at * (width + gap), y, width, height }),
  );
}

/** @param text what stands beside the arrow */
function arrow(x, from, to, text = '') {
  const label = `<text x="${x + 8}" y="${(from + to) / 2 + 4}" font-size="12" fill="#444">${text}</text>`;
  const line = `<line x1="${x}" y1="${from}" x2="${x}" y2="${to}" stroke="#555" marker-end="url(#head)"/>`;
  return text === '' ? line : `${line}\n${label}`;
}

function floorsBox(y, floors) {
  const height = 34 + floors.length * 38;
  const frame = `<rect x="${MARGIN}" y="${y}" width="${INNER}" height="${height}" rx="6" fill="#fafafa" stroke="#888"/>`;
  const title = `<text x="${MARGIN + 12}" y="${y + 21}" font-weight="600">Modules: each imports only from those after it</text>`;
  const gap = 8;
  const modules = floors.flatMap((names, floor) => {
    // As wide as the name needs, with what is left shared out.
    const letters = names.reduce((sum, name) => sum + name.length + PADDING, 0);
    const unit = (INNER - 24 - gap * (names.length - 1)) / letters;
    let x = MARGIN + 12;
    return names.map((name) => {
      const width = Math.round(unit * (name.length + PADDING));
      const drawn = box({
        x,
        y: y + 32 + floor * 38,
        width,
        height: 30,
        title: name,
        fill: 'module',
        weight: 400,
      });
      x += width + gap;
      return drawn;
    });
  });
  return { height, parts: [frame, title, ...modules] };
}

async function draw() {
  const column = (INNER - 32) / 3;
  const centre = (at) => MARGIN + at * (column + 16) + column / 2;
  const half = (INNER - 16) / 2;
  const centreOfHalf = (at) => MARGIN + at * (half + 16) + half / 2;
  const clients = row(24, 52, [
    { title: 'Git clients', lines: ['clone, fetch, push'], fill: 'outside' },
    { title: 'API clients', lines: ['/api/v3, /api/v4'], fill: 'outside' },
    { title: 'Receivers of hooks', lines: ['signed deliveries'], fill: 'outside' },
  ]);
  const processes = row(124, 56, [
    { title: 'api', lines: ['HTTP and SSH; any number of processes'], fill: 'process' },
    { title: 'worker', lines: ['jobs and deliveries; any number of processes'], fill: 'process' },
  ]);
  const floors = floorsBox(204, await readFloors());
  const below = 204 + floors.height;
  const stores = row(below + 48, 70, [
    {
      title: 'PostgreSQL',
      lines: ['all records, the outbox', 'embedded, or your own'],
      fill: 'store',
    },
    { title: 'Queues (BullMQ)', lines: ['in PostgreSQL, or in Redis'], fill: 'store' },
    {
      title: 'DATA_DIR',
      lines: ['repositories, uploads', 'one file system for all'],
      fill: 'store',
    },
  ]);
  const height = below + 48 + 70 + 24;
  const arrows = [
    arrow(centre(0), 76, 122, 'HTTP, SSH'),
    arrow(centre(1) - 60, 76, 122, 'HTTP'),
    arrow(centre(2), 124, 78, 'HTTP'),
    ...[0, 1].map((at) => arrow(centreOfHalf(at), 180, 202)),
    ...[0, 1, 2].map((at) => arrow(centre(at), below, below + 46)),
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="14" role="img">`,
    '<title>Clients, processes, modules and stores of Trellis</title>',
    '<defs><marker id="head" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#555"/></marker></defs>',
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    ...[...clients, ...processes, ...floors.parts, ...stores, ...arrows],
    '</svg>\n',
  ].join('\n');
}

await main(async () => {
  const source = { of: 'docs/design.md', by: 'node scripts/architecture.mjs' };
  await keepGenerated(FILE, await draw(), source);
});
