import { loadConfig } from '../../../src/platform/config/index.js';
import {
  addressOf,
  HostRefusedError,
  HostUnknownError,
  isPublicAddress,
  normalHost,
  OutboundHosts,
} from '../../../src/platform/net/index.js';

const hosts = (allowLocal: boolean) =>
  new OutboundHosts(loadConfig({ WEBHOOK_ALLOW_LOCAL: String(allowLocal) }));

/** As on a machine with these addresses, where every name is one of this address. */
class HostsOfMachine extends OutboundHosts {
  constructor(
    private readonly own: readonly string[],
    private readonly found: string,
    allowed?: string,
  ) {
    super(loadConfig(allowed === undefined ? {} : { WEBHOOK_ALLOWED_HOSTS: allowed }));
  }
  protected override ownAddresses(): string[] {
    return [...this.own];
  }
  protected override async lookUp(): Promise<string[]> {
    return [this.found];
  }
}

describe('outbound addresses', () => {
  it.each([
    ...['8.8.8.8', '93.184.216.34', '2606:4700::1111', '2a00:1450:4001:81b::200e'],
    ...['2001:200::1', '2400:cb00::1', '2c0f:fb50::1', '2003::1', '2800::1'],
  ])('include %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
    expect(hosts(false).refuses(address.includes(':') ? `[${address}]` : address)).toBe(false);
  });

  it.each([
    ...['127.0.0.1', '127.255.255.254', '0.0.0.0', '0.1.2.3', '255.255.255.255', '224.0.0.1'],
    ...['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '192.0.0.192'],
    ...['169.254.169.254', '168.63.129.16', '192.0.2.1', '198.18.0.1', '240.0.0.1'],
    ...['::1', '::', 'fe80::1', 'fd00:ec2::254', 'fc00::1', 'fec0::1', 'ff02::1', '2001:db8::1'],
    ...['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::'],
    ...['::ffff:0:808:808', '::8.8.8.8', '64:ff9b::808:808', '64:ff9b:1::808:808', '2001::1'],
    // Outside 2000::/3, up to its edges.
    ...['1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '4000::1', '1::1', '200::1', '400::1', '800::1'],
    ...['6000::1', '8000::1', 'a000::1', 'c000::1', 'e000::1', 'f000::1', 'f800::1', 'fe00::1'],
    // Special-purpose within it.
    ...['2001:2::1', '2001:10::1', '2001:20::1', '2001:30::1', '2620:4f:8000::1', '3fff::1'],
    ...['100::1', '100:0:0:1::1', '5f00::1'],
    'not an address',
  ])('exclude %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    ['0x7f.1', '127.0.0.1'],
    ['0177.0.0.1', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['１２７.0.0.1', '127.0.0.1'],
    ['127.0.0.1.', '127.0.0.1'],
    ['0xA9FEA9FE', '169.254.169.254'],
    ['[::1]', '::1'],
    ['[::ffff:127.0.0.1]', '::ffff:7f00:1'],
    ['[0:0:0:0:0:0:0:1]', '::1'],
  ])('are parsed from %s', async (host, address) => {
    expect(addressOf(host)).toBe(address);
    expect(hosts(false).refuses(host)).toBe(true);
    expect(hosts(true).refuses(host)).toBe(false);
    await expect(hosts(false).pin(host)).rejects.toThrow(HostRefusedError);
  });

  it.each(['localhost', 'LOCALHOST', 'localhost.', 'db.localhost', 'ｌｏｃａｌｈｏｓｔ'])(
    'exclude the name %s without a lookup',
    async (host) => {
      expect(addressOf(host)).toBeNull();
      expect(hosts(false).refuses(host)).toBe(true);
      await expect(hosts(false).pin(host)).rejects.toThrow(HostRefusedError);
    },
  );

  it('are returned after the check, for the connection', async () => {
    expect(await hosts(true).pin('127.1')).toEqual({ host: '127.0.0.1', addresses: ['127.0.0.1'] });
    expect(await hosts(false).pin('8.8.8.8')).toEqual({ host: '8.8.8.8', addresses: ['8.8.8.8'] });
    const { host, addresses } = await hosts(true).pin('LocalHost');
    expect(host).toBe('localhost');
    expect(addresses.length).toBeGreaterThan(0);
    for (const address of addresses) expect(['127.0.0.1', '::1']).toContain(address);
  });

  it('exclude a name with one refused address, after one lookup', async () => {
    const looked: string[] = [];
    class Resolved extends OutboundHosts {
      constructor(private readonly addresses: string[]) {
        super(loadConfig({}));
      }
      protected override async lookUp(name: string): Promise<string[]> {
        looked.push(name);
        return this.addresses;
      }
    }
    for (const address of ['10.0.0.1', '::1', '::ffff:10.0.0.1', 'fe80::1', '169.254.169.254']) {
      const pinning = new Resolved(['8.8.8.8', address]).pin('Example.com');
      await expect(pinning).rejects.toThrow(HostRefusedError);
    }
    expect(looked).toEqual(Array.from({ length: 5 }, () => 'example.com'));
    const addresses = ['8.8.8.8', '2606:4700::1111'];
    expect(await new Resolved(addresses).pin('example.com')).toEqual({
      host: 'example.com',
      addresses,
    });
    await expect(new Resolved([]).pin('example.com')).rejects.toThrow(HostUnknownError);
  });

  it.each(['203.0.114.7', '2606:4700::7'])('exclude %s of the machine itself', async (own) => {
    const host = own.includes(':') ? `[${own}]` : own;
    const here = new HostsOfMachine(['127.0.0.1', own], own);
    expect(here.refuses(host)).toBe(true);
    await expect(here.pin(host)).rejects.toThrow(HostRefusedError);
    await expect(here.pin('example.com')).rejects.toThrow(HostRefusedError);
    const elsewhere = new HostsOfMachine(['127.0.0.1'], own);
    expect(elsewhere.refuses(host)).toBe(false);
    expect(await elsewhere.pin('example.com')).toEqual({ host: 'example.com', addresses: [own] });
    const allowed = new HostsOfMachine([own], own, own);
    expect(await allowed.pin('example.com')).toEqual({ host: 'example.com', addresses: [own] });
  });

  it.each([
    ['10.0.0.7', 'ci.example.com', '10.0.0.7', true],
    ['10.0.0.7', 'ci.example.com', '10.0.0.8', false],
    ['10.0.0.0/8', 'ci.example.com', '10.9.8.7', true],
    ['fd00::/8, 10.0.0.0/8', 'ci.example.com', 'fd12::1', true],
    ['10.0.0.0/8', '10.1.2.3', '10.1.2.3', true],
    ['10.0.0.0/8', '0x0a010203', '10.1.2.3', true],
    ['10.0.0.0/8', '127.0.0.1', '127.0.0.1', false],
    ['CI.example.com', 'ci.EXAMPLE.com.', '192.168.0.9', true],
    ['ci.example.com', 'x.ci.example.com', '192.168.0.9', false],
    ['localhost', 'localhost', '127.0.0.1', true],
    ['localhost', 'db.localhost', '127.0.0.1', false],
  ])('with %s allowed, decides on %s at %s: %s', async (allowed, host, address, passes) => {
    const local = new HostsOfMachine([], address, allowed);
    const pinned = await local.pin(host).catch((error: unknown) => error);
    if (passes) {
      expect(pinned).toEqual({ host: normalHost(host), addresses: [address] });
      expect(local.refuses(host)).toBe(false);
    } else {
      expect(pinned).toBeInstanceOf(HostRefusedError);
    }
  });

  it('report an unknown host', async () => {
    await expect(hosts(true).pin('nowhere.invalid')).rejects.toThrow(HostUnknownError);
    for (const host of [
      '',
      'a b',
      'a/b',
      'user@host',
      'host:80',
      'a?b',
      'a#b',
      'a\\b',
      '[::1',
      '%zz',
    ]) {
      expect(normalHost(host)).toBeNull();
      expect(hosts(false).refuses(host)).toBe(true);
      await expect(hosts(true).pin(host)).rejects.toMatchObject({ temporary: false });
    }
  });
});
