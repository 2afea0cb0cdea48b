import type { Resolver } from 'node:dns/promises';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadConfig } from '../../../src/platform/config/index.js';
import {
  HostRefusedError,
  HostUnknownError,
  OutboundHosts,
} from '../../../src/platform/net/index.js';
import { NameServer } from '../../support/name-server.js';

jest.setTimeout(30_000);

describe('Names of outbound hosts', () => {
  let server: NameServer;
  let folder: string;

  class HostsOfServer extends OutboundHosts {
    protected override readonly hostsFile = path.join(folder, 'hosts');

    protected override createResolver(): Resolver {
      const resolver = super.createResolver();
      resolver.setServers([server.address]);
      return resolver;
    }
  }

  beforeAll(async () => {
    server = await NameServer.start({
      'both.example': ['93.184.216.34', '2606:4700::1111'],
      'four.example': ['93.184.216.34'],
      'six.example': ['2606:4700::1111'],
      'half.example': ['93.184.216.34', '10.0.0.7'],
      'inside.example': ['10.0.0.7'],
      'empty.example': [],
    });
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-hosts-'));
    const lines = ['127.0.0.1 localhost', '10.0.0.7\tOther Known.Invalid # commented.example'];
    await writeFile(path.join(folder, 'hosts'), `${lines.join('\n')}\n`);
  });
  afterAll(async () => {
    server.stop();
    await rm(folder, { recursive: true });
  });

  const pin = (host: string, allowed?: string) =>
    new HostsOfServer(
      loadConfig(allowed === undefined ? {} : { WEBHOOK_ALLOWED_HOSTS: allowed }),
    ).pin(host);

  it.each([
    ['both.example', ['93.184.216.34', '2606:4700::1111']],
    ['four.example', ['93.184.216.34']],
    ['six.example', ['2606:4700::1111']],
  ])('pin the DNS addresses of %s', async (host, addresses) => {
    expect(await pin(host)).toEqual({ host, addresses });
  });

  it('are refused when DNS returns private addresses, unless their network is allowed', async () => {
    for (const host of ['half.example', 'inside.example']) {
      await expect(pin(host)).rejects.toThrow(HostRefusedError);
    }
    expect((await pin('inside.example', '10.0.0.0/8')).addresses).toEqual(['10.0.0.7']);
  });

  it.each(['empty.example', 'missing.example', `${'a'.repeat(64)}.example`])(
    'fail permanently for %s, which has no address',
    async (host) => {
      await expect(pin(host)).rejects.toMatchObject({ name: 'HostUnknownError', temporary: false });
    },
  );

  it('fail temporarily within seconds when DNS is silent, for many names at once', async () => {
    const began = performance.now();
    const pinning = Array.from({ length: 100 }, (_, at) => pin(`n${String(at)}.silent.example`));
    const errors = await Promise.allSettled(pinning);
    expect(performance.now() - began).toBeLessThan(5_000);
    for (const error of errors) {
      expect(error).toMatchObject({ reason: { name: 'HostUnknownError', temporary: true } });
    }
    await expect(pin('n.silent.example')).rejects.toThrow(HostUnknownError);
  });

  it.each([
    ['listed.invalid', 'listed.invalid'],
    ['known.invalid', undefined],
    ['nodot', undefined],
    ['db.localhost', 'db.localhost'],
  ])('are resolved by the system for %s', async (host, allowed) => {
    await pin(host, allowed).catch((error: unknown) => {
      expect(error).toBeInstanceOf(HostUnknownError);
    });
    expect(server.asked).not.toContain(host);
  });

  it('are resolved by DNS when the hosts file has them only in a comment or as part of a longer name', async () => {
    for (const host of ['commented.example', 'own.invalid', '0.0.1']) {
      await expect(pin(host)).rejects.toThrow();
    }
    expect(server.asked).toContain('commented.example');
    expect(server.asked).toContain('own.invalid');
  });
});
