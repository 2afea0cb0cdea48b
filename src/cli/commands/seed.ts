import { type Command, Option } from 'commander';
import { type CommandCall, type CommandResult, concludeWith } from '../conclude.js';
import { CommandError } from '../errors.js';
import type { DemoReport } from '../seed/demo-seeder.js';

interface SeedOptions {
  small?: boolean;
  large?: boolean;
  force?: boolean;
}

/** Adds `trellis seed`. */
export function addSeed(program: Command): void {
  concludeWith(
    program
      .command('seed')
      .description(
        'make demo data for a first look: users, groups, projects with issues and merge requests',
      )
      .option('--small', 'a little of everything')
      .addOption(new Option('--large', 'a thousand commits, hundreds of issues').conflicts('small'))
      .option('--force', 'also where there are projects already'),
    runSeed,
  );
}

async function runSeed({ options, terminal }: CommandCall<SeedOptions>): Promise<CommandResult> {
  const { withApplication } = await import('../open.js');
  const { DemoSeeder } = await import('../seed/demo-seeder.js');
  const { DEMO_SIZES } = await import('../seed/demo-texts.js');
  const { ProjectsRepository } = await import('../../modules/projects/index.js');
  const size = DEMO_SIZES[options.small ? 'small' : options.large ? 'large' : 'medium'];
  return withApplication(async (app, { config }) => {
    if (options.force !== true && (await app.get(ProjectsRepository).isAny())) {
      throw new CommandError('There are projects already: --force adds the demo data to them.');
    }
    const report = await new DemoSeeder(app, size, terminal).create();
    const { password = null, token = null } = report.credentials ?? {};
    return {
      text: describe(config.http.externalUrl, report),
      json: { projects: report.projects, username: 'demo-owner', password, token },
    };
  });
}

function describe(url: string, { credentials, projects }: DemoReport): string {
  const [first] = projects;
  if (first === undefined) return 'The demo data are there already.';
  const project = `/projects/${encodeURIComponent(first)}`;
  const call = (path: string): string =>
    `  curl -H "PRIVATE-TOKEN: ${credentials?.token ?? '$TOKEN'}" "${url}/api/v3${path}"`;
  return [
    `Made ${projects.join(', ')}.`,
    '',
    'In a browser:',
    ...projects.map((path) => `  ${url}/${path}`),
    'Sign in as:',
    '  user name  demo-owner',
    `  password   ${credentials?.password ?? 'as before (trellis user reset-password demo-owner)'}`,
    '',
    'By the API:',
    call('/projects'),
    call(`${project}/issues?state=opened`),
    call(`${project}/merge_requests?state=all`),
    call(`${project}/repository/commits`),
    call(`${project}/events`),
  ].join('\n');
}
