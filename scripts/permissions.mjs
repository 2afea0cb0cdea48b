// Writes docs/permissions.md from the permission table as built, or with --check says whether it is up
// to date.
import 'reflect-metadata';
import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { formatPage, keepGenerated } from './generated.mjs';
import { prepare } from './prepare.mjs';
import { main } from './problem.mjs';

const FILE = 'docs/permissions.md';

const NAMES = { 10: 'guests', 20: 'reporters', 30: 'developers', 40: 'masters', 50: 'owners' };

const OBJECT_COLUMNS = ['It does not show to them', 'It shows to them'];

const INTRODUCTION = `# Permissions

The abilities of each role, printed from the table in \`src/modules/authorization/permissions.ts\` by
\`npm run permissions\`. Every route names one ability; a test calls every route as everybody and
compares.

Levels of members: guest 10, reporter 20, developer 30, master 40, owner 50; each has what those below
it have. On a project the highest counts of the direct membership, the membership in its group, and the
membership in a group it is shared with, no higher than the share allows; whoever owns the personal
namespace of a project is its owner. Administrators have every ability. Blocked accounts have no more
than callers without a credential, and over Git not even that.

*Visitors* are signed-in users who see a project or group by its visibility: the public ones, and the
internal ones too unless they are external users. A group shows as well when a project in it, or shared
with it, does.

Rules that are no matter of levels (quotas, one's own records, the last owner, protected branches) stand
with the services that keep them.

The last columns of each table say what those without the ability are answered.
`;

const members = (least) => {
  if (least === 10) return 'all members';
  return least === 50 ? NAMES[least] : `${NAMES[least]} and above`;
};

/** Who has an ability, and the statuses of those who do not. */
const DESCRIPTIONS = {
  anyone: () => ['everybody; a credential is not looked at', '', ''],
  open: () => ['everybody; a credential says who calls', '', ''],
  user: () => ['signed-in users', 401, ''],
  admin: () => ['administrators', 401, 403],
  project: onObject,
  group: onObject,
};

function onObject({ scope, least, visitor, sharing = visitor, open = false, adminOnly }) {
  if (adminOnly) return ['administrators', 401, 403, 403];
  const who = [members(least), ...(visitor ? ['visitors'] : [])];
  if (open) who.push(`callers without a credential on a public ${scope}`);
  // Whoever sees it without being a member is a visitor: nobody is left who sees it and may not.
  return [who.join(', '), open ? 404 : 401, 404, visitor && sharing && least <= 10 ? '' : 403];
}

function table(permissions, columns, scopes) {
  const rows = Object.entries(permissions)
    .filter(([, { scope }]) => scopes.includes(scope))
    .map(([ability, permission]) => [
      `\`${ability}\``,
      ...DESCRIPTIONS[permission.scope](permission),
    ]);
  const header = ['Ability', 'Who has it', 'No credential', ...columns];
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [header, header.map(() => '---'), ...rows].map(line).join('\n');
}

/** Every handler of the modules and of those they import, once. */
function handlersOf(modules) {
  const seen = new Set();
  const visit = (module) => {
    if (module === undefined || seen.has(module)) return [];
    seen.add(module);
    const imports = Reflect.getMetadata('imports', module) ?? [];
    const controllers = Reflect.getMetadata('controllers', module) ?? [];
    return [...controllers.flatMap(handlersIn), ...imports.flatMap(visit)];
  };
  return modules.flatMap(visit);
}

function handlersIn(controller) {
  const { prototype } = controller;
  const handlers = Object.getOwnPropertyNames(prototype).map((name) => prototype[name]);
  return handlers
    .filter((handler) => Reflect.hasMetadata(PATH_METADATA, handler))
    .map((handler) => ({ controller, handler }));
}

/** Left out of the paths of calls. */
const UNNAMED_PREFIX = /^\/api\/v3(?=\/)/;

/** The calls that name an ability, in the order of their paths. */
function callsBy(ability, handlers, abilityOf) {
  const calls = handlers
    .filter(({ handler }) => abilityOf(handler) === ability)
    .flatMap(({ controller, handler }) => {
      const verb = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler)];
      const bases = [Reflect.getMetadata(PATH_METADATA, controller)].flat();
      const paths = [Reflect.getMetadata(PATH_METADATA, handler)].flat();
      const all = bases.flatMap((base) => paths.map((path) => `/${base}/${path}`));
      return all.map((path) => [
        path.replace(/\/+(?=\/|$)/g, '').replace(UNNAMED_PREFIX, ''),
        verb,
      ]);
    });
  return calls.sort().map(([path, verb]) => `\`${verb} ${path}\``);
}

async function describe() {
  const { abilityOf, PERMISSIONS } = await import('../dist/src/modules/authorization/index.js');
  const { ROOM_MODULES } = await import('../dist/src/bootstrap/rooms.js');
  const { HealthController } = await import('../dist/src/bootstrap/health.controller.js');
  const { MetricsController } = await import('../dist/src/bootstrap/metrics.controller.js');
  const handlers = [
    ...handlersOf(ROOM_MODULES),
    ...handlersIn(HealthController),
    ...handlersIn(MetricsController),
  ];
  const calls = Object.keys(PERMISSIONS).map((ability) => {
    const listed = callsBy(ability, handlers, abilityOf).map((call) => `  - ${call}`);
    if (listed.length === 0) return `- \`${ability}\`: asked by services, no call of its own`;
    return [`- \`${ability}\`:`, ...listed].join('\n');
  });
  return formatPage(FILE, [
    INTRODUCTION,
    '## Beside projects and groups',
    table(PERMISSIONS, ['Others'], ['anyone', 'open', 'user', 'admin']),
    '## On a group',
    table(PERMISSIONS, OBJECT_COLUMNS, ['group']),
    '## On a project',
    table(PERMISSIONS, OBJECT_COLUMNS, ['project']),
    '## The calls of each ability',
    'Calls of version 3 are written without `/api/v3`; its old spellings of paths are left out.',
    calls.join('\n'),
  ]);
}

await main(async () => {
  await prepare({ dev: true });
  await keepGenerated(FILE, await describe(), { of: 'the table', by: 'npm run permissions' });
});
