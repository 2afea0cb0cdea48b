/** @operation */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../../src/platform/config/index.js';
import { VARIABLES } from '../../src/platform/config/schema.js';
import { checkManifests, type Manifest } from './support/kubernetes-types.js';

interface Probe {
  httpGet: { path: string; port: string };
}

interface Container {
  name: string;
  image: string;
  args: string[];
  ports?: { name: string; containerPort: number }[];
  envFrom: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  volumeMounts: { name: string; mountPath: string }[];
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  lifecycle?: { preStop: { exec: { command: string[] } } };
}

interface Pod {
  metadata: { labels: Record<string, string> };
  spec: {
    containers: Container[];
    volumes: { name: string; persistentVolumeClaim?: { claimName: string } }[];
    terminationGracePeriodSeconds?: number;
  };
}

interface Resource extends Manifest {
  metadata: { name: string };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  spec: {
    template: Pod;
    selector: Record<string, string> & { matchLabels: Record<string, string> };
    ports: { port: number; targetPort: string }[];
  };
}

const FOLDER = path.resolve('docker', 'kubernetes');
/** Seconds after its signal by which a process has ended (src/bootstrap/shutdown.ts). */
const ENDED_S = 40;

const read = (name: string): Resource[] =>
  parseAllDocuments(readFileSync(path.join(FOLDER, name), 'utf8')).map(
    (document) => document.toJS() as Resource,
  );

describe('docker/kubernetes', () => {
  const files = readdirSync(FOLDER).filter((name) => name !== 'kustomization.yaml');
  const resources = files.flatMap(read);
  const find = (kind: string, name: string): Resource => {
    const found = resources.find((each) => each.kind === kind && each.metadata.name === name);
    if (found === undefined) throw new Error(`There is no ${kind} ${name}`);
    return found;
  };
  const pods = resources
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map(({ spec }) => spec.template);
  const containers = pods.flatMap(({ spec }) => spec.containers);
  const api = find('Deployment', 'trellis-api').spec.template;

  it('has valid resources', () => {
    expect(checkManifests(resources)).toEqual([]);
  });

  it('fails with an unknown field, or a number instead of a text', () => {
    const [budget, map] = [
      find('PodDisruptionBudget', 'trellis-api'),
      find('ConfigMap', 'trellis'),
    ];
    const misspelt = { ...budget, spec: { ...budget.spec, minAvailabel: 1 } };
    expect(checkManifests([misspelt])).toEqual([expect.stringContaining('minAvailabel')]);
    expect(checkManifests([{ ...map, data: { PORT: 3000 } } as never])).toEqual([
      expect.stringMatching(/^ConfigMap: Type 'number' is not assignable/),
    ]);
  });

  it('applies everything except the template of the secret', () => {
    const kustomization = parse(readFileSync(path.join(FOLDER, 'kustomization.yaml'), 'utf8')) as {
      resources: string[];
    };
    const applied = files.filter((name) => name !== 'secret.example.yaml');
    expect([...kustomization.resources].sort()).toEqual(applied);
    expect(resources.filter(({ metadata }) => 'namespace' in metadata)).toEqual([]);
  });

  it('runs the commands of the image, as its user', () => {
    expect(containers.map(({ args }) => args.join(' ')).sort()).toEqual([
      'migrate',
      'start api',
      'start worker',
    ]);
    expect(new Set(containers.map(({ image }) => image))).toEqual(new Set(['trellis']));
  });

  it('gives the service a valid configuration', () => {
    const settings = {
      ...find('ConfigMap', 'trellis').data,
      ...find('Secret', 'trellis').stringData,
    };
    expect(Object.keys(settings).filter((name) => !(name in VARIABLES))).toEqual([]);
    expect(loadConfig(settings).database.url).toContain('postgres.example.com');
    for (const { envFrom } of containers) {
      expect(envFrom).toEqual([
        { configMapRef: { name: 'trellis' } },
        { secretRef: { name: 'trellis' } },
      ]);
    }
  });

  it('has one volume for all pods, which contains the data folder', () => {
    const { DATA_DIR = '' } = find('ConfigMap', 'trellis').data ?? {};
    for (const { spec } of pods) {
      const [mount] = spec.containers[0]?.volumeMounts ?? [];
      expect(path.dirname(DATA_DIR)).toBe(mount?.mountPath);
      const volume = spec.volumes.find(({ name }) => name === mount?.name);
      const claim = volume?.persistentVolumeClaim?.claimName ?? '';
      expect(find('PersistentVolumeClaim', claim)).toBeDefined();
    }
  });

  it('checks health where the service answers', () => {
    const { startupProbe, livenessProbe, readinessProbe, ports } = api.spec.containers[0] ?? {};
    const probes = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet);
    expect(probes).toEqual(
      ['/healthz', '/healthz', '/readyz'].map((route) => ({ path: route, port: 'http' })),
    );
    const controller = readFileSync('src/bootstrap/health.controller.ts', 'utf8');
    for (const probe of probes)
      expect(controller).toContain(`@Get('${probe?.path.slice(1) ?? ''}')`);
    expect(ports).toEqual([
      { name: 'http', containerPort: Number(VARIABLES.PORT.default) },
      { name: 'ssh', containerPort: Number(VARIABLES.SSH_PORT.default) },
    ]);
    const worker = find('Deployment', 'trellis-worker').spec.template.spec.containers[0];
    expect(worker).not.toHaveProperty('livenessProbe');
  });

  it('shows the port on which the Service of SSH answers', () => {
    const { data } = find('ConfigMap', 'trellis');
    const [{ port } = {}] = find('Service', 'trellis-ssh').spec.ports;
    expect(data?.['SSH_EXTERNAL_PORT']).toBe(String(port));
  });

  it('waits for processes to end', () => {
    const limit = readFileSync('src/bootstrap/shutdown.ts', 'utf8');
    expect(limit).toContain(`const LIMIT_MS = ${String(ENDED_S)}_000;`);
    for (const { spec } of pods.filter(
      ({ spec }) => spec.terminationGracePeriodSeconds !== undefined,
    )) {
      const [, wait = '0'] = spec.containers[0]?.lifecycle?.preStop.exec.command ?? [];
      expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(ENDED_S + Number(wait));
    }
  });

  it('selects existing pods and ports', () => {
    const labels = pods.map(({ metadata }) => metadata.labels);
    const ports = new Set(api.spec.containers[0]?.ports?.map(({ name }) => name));
    for (const { kind, spec } of resources) {
      if (kind === 'Service') {
        expect(labels).toContainEqual(spec.selector);
        for (const { targetPort } of spec.ports) expect(ports).toContain(targetPort);
      }
      if (kind === 'Deployment')
        expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
      if (kind === 'PodDisruptionBudget') expect(labels).toContainEqual(spec.selector.matchLabels);
    }
  });
});
