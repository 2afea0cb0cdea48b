import { type Command, Option } from 'commander';
import { type CommandCall, type CommandResult, concludeWith } from '../conclude.js';
import { CommandError } from '../errors.js';

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
    const { token, projects } = await new DemoSeeder(app, size, terminal).create();
    return {
      text: describe(config.http.externalUrl, token, projects),
      json: { projects, username: 'demo-owner', token },
    };
  });
}

function describe(url: string, token: string | null, projects: readonly string[]): string {
  const [first] = projects;
  if (first === undefined) return 'The demo data are there already.';
  const curl = `curl -H "PRIVATE-TOKEN: ${token ?? '$TOKEN'}" ${url}/api/v3`;
  const project = `${curl}/projects/${encodeURIComponent(first)}`;
  return [
    `Made ${projects.join(', ')}. Look at them as demo-owner:`,
    `  ${curl}/projects`,
    `  ${project}/issues?state=opened`,
    `  ${project}/merge_requests?state=all`,
    `  ${project}/repository/commits`,
    `  ${project}/events`,
  ].join('\n');
}
