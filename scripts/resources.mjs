// Writes docs/reference/v4-resources.md from the table of resources as built, or with --check says whether it is up to date.
import { formatPage, keepGenerated } from './generated.mjs';
import { prepare } from './prepare.mjs';
import { main } from './problem.mjs';

const FILE = 'docs/reference/v4-resources.md';

const SHOWN = {
  served: 'served',
  derived: 'derived',
  'empty-list': '`[]`',
  'empty-object': '`{}`',
  absent: '404',
};

const EXAMPLES = [
  ['projects/:id', 'projects/crew%2Ftour'],
  ['groups/:id', 'groups/crew'],
  ['users/:id', 'users/2'],
  [':issue_iid', '1'],
  [':merge_request_iid', '1'],
];

const introduction = (count) => `# Version 4: resources

How each resource of GitLab's version 4 is answered here. The page is printed from the table in \`src/faces/v4-resources.ts\` by
\`npm run resources\`; tests compare it with the routes. Of ${count()} resources ${count('served')} are served and ${count('derived')} is derived from others.
${count('empty-list', 'empty-object')} are empty, so that clients that list them go on: the readers of the project, group, issue, merge request or user see that, for others it is 404, and so
is every write. ${count('absent')} are 404. Pages of the served ones are in [the reference](README.md); [version 4](v4.md#resources) says what they lack.
`;

function table(resources) {
  const rows = resources.map(({ name, paths, answer, why }) => [
    name,
    paths.map((path) => `\`/${path}\``).join(', '),
    SHOWN[answer],
    why,
  ]);
  const header = ['Resource', 'Paths', 'Answer', 'Why'];
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [header, header.map(() => '---'), ...rows].map(line).join('\n');
}

function entry({ name, path, answer }) {
  const example = EXAMPLES.reduce((text, [part, value]) => text.replace(part, value), path);
  return [
    `### GET /api/v4/${path}`,
    `${name}: none. Answers 200 with ${SHOWN[answer]}.`,
    `\`\`\`sh\ncurl -H "PRIVATE-TOKEN: $TOKEN" "$API_V4/${example}"\n\`\`\``,
  ].join('\n\n');
}

async function describe() {
  const { EMPTY_ROUTES, RESOURCES } = await import('../dist/src/faces/index.js');
  const count = (...answers) =>
    RESOURCES.filter(({ answer }) => answers.length === 0 || answers.includes(answer)).length;
  return formatPage(FILE, [
    introduction(count),
    '## Resources',
    table(RESOURCES),
    '## Endpoints',
    'The examples use the variables of [version 4](v4.md#endpoints).',
    ...EMPTY_ROUTES.map(entry),
  ]);
}

await main(async () => {
  await prepare({ dev: true });
  await keepGenerated(FILE, await describe(), { of: 'the table', by: 'npm run resources' });
});
