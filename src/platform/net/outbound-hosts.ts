import { Injectable } from '@nestjs/common';
import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Config } from '../config/index.js';
import { inNetworks } from './networks.js';
import { addressOf, isPublicAddress, normalHost } from './public-address.js';

const LOCALHOST = /(?:^|\.)localhost$/;
/** What one DNS server gets for its first answer; for a second one it gets twice as long. */
const QUERY_MS = 1_000;
/** What the DNS servers get for all answers about a name. */
const RESOLVE_MS = 3_000;
/** There is no such name, none of the type, or it is too long to exist. */
const PERMANENT_CODES: readonly unknown[] = ['ENOTFOUND', 'ENODATA', 'EBADNAME'];

/** A host is, or has an address that is, no business of the service's users. */
export class HostRefusedError extends Error {
  override readonly name = 'HostRefusedError';

  constructor() {
    super('The host may not be connected to');
  }
}

/** A host has no address. */
export class HostUnknownError extends Error {
  override readonly name = 'HostUnknownError';
  /** Whether the name server failed, so that asking again makes sense. */
  readonly temporary: boolean;

  constructor({ temporary }: { temporary: boolean }) {
    super('The host could not be found');
    this.temporary = temporary;
  }
}

/** A host with the addresses it had when they were checked: connect to these, never to the name. */
export interface PinnedHost {
  /** As in a URL: lower case, ASCII, IPv6 addresses in brackets. */
  host: string;
  /** At least one; every one of them may be connected to. */
  addresses: readonly string[];
}

/**
 * Decides where the service may connect to on behalf of users. Addresses of the machine itself and of
 * private networks are refused, unless `WEBHOOK_ALLOW_LOCAL` is set or `WEBHOOK_ALLOWED_HOSTS` has them.
 */
@Injectable()
export class OutboundHosts {
  protected readonly hostsFile: string = '/etc/hosts';
  private readonly allowedNames: ReadonlySet<string>;
  private readonly isAllowedAddress: (address: string) => boolean;

  constructor(private readonly config: Config) {
    const isNetwork = (host: string): boolean => isIP(host.split('/')[0] ?? '') > 0;
    const allowed = config.webhookAllowedHosts;
    this.allowedNames = new Set(allowed.filter((host) => !isNetwork(host)));
    this.isAllowedAddress = inNetworks(allowed.filter(isNetwork));
  }

  /** Whether a host is refused, as far as that is known without a DNS look-up. */
  refuses(host: string): boolean {
    const address = addressOf(host);
    if (address !== null) return !this.mayConnectTo(address);
    const name = normalHost(host) ?? 'localhost';
    return !this.allowsName(name) && LOCALHOST.test(name);
  }

  /**
   * Looks a host up, once, and checks every address it has.
   * @throws HostRefusedError when one of them may not be connected to
   * @throws HostUnknownError when it has none
   */
  async pin(host: string): Promise<PinnedHost> {
    const normal = normalHost(host);
    if (normal === null) throw new HostUnknownError({ temporary: false });
    if (this.refuses(normal)) throw new HostRefusedError();
    const address = addressOf(normal);
    const addresses = address === null ? await this.lookUp(normal) : [address];
    if (addresses.length === 0) throw new HostUnknownError({ temporary: false });
    const mayConnect =
      this.allowsName(normal) || addresses.every((each) => this.mayConnectTo(each));
    if (!mayConnect) throw new HostRefusedError();
    return { host: normal, addresses };
  }

  private allowsName(name: string): boolean {
    return this.config.webhookAllowLocal || this.allowedNames.has(name);
  }

  private mayConnectTo(address: string): boolean {
    if (this.config.webhookAllowLocal || this.isAllowedAddress(address)) return true;
    return isPublicAddress(address) && !this.ownAddresses().includes(address);
  }

  /** The addresses of this machine now, public ones among them, in their usual notation. */
  protected ownAddresses(): string[] {
    const addresses = Object.values(networkInterfaces()).flatMap((of) => of ?? []);
    return addresses.map(({ address }) => address);
  }

  /** Resolves a name: by the system where it may know the name from elsewhere than DNS, else by DNS alone. */
  protected async lookUp(name: string): Promise<string[]> {
    return (await this.isOfSystem(name)) ? lookUpBySystem(name) : this.resolve(name);
  }

  protected createResolver(): Resolver {
    return new Resolver({ timeout: QUERY_MS, tries: 2 });
  }

  /**
   * Whether the system's resolver may be asked. It answers two names at a time in the whole process, and cannot be stopped:
   * names whose DNS servers a user of the service may have chosen would make all others wait.
   */
  private async isOfSystem(name: string): Promise<boolean> {
    if (this.allowedNames.has(name) || !name.includes('.') || LOCALHOST.test(name)) return true;
    return this.isInHostsFile(name);
  }

  private async isInHostsFile(name: string): Promise<boolean> {
    const text = (await readFile(this.hostsFile, 'utf8').catch(() => '')).toLowerCase();
    if (!text.includes(name)) return false;
    const names = (line: string): string[] => line.replace(/#.*/, '').trim().split(/\s+/).slice(1);
    return text.split('\n').some((line) => names(line).includes(name));
  }

  /** Asks the DNS servers, for any number of names at a time. */
  private async resolve(name: string): Promise<string[]> {
    // A new one reads the system's settings again.
    const resolver = this.createResolver();
    const timer = setTimeout(() => resolver.cancel(), RESOLVE_MS);
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    clearTimeout(timer);
    const addresses = answers.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    if (addresses.length > 0) return addresses;
    const temporary = answers.some(
      (each) => each.status === 'rejected' && isTemporary(each.reason),
    );
    throw new HostUnknownError({ temporary });
  }
}

const isTemporary = (error: unknown): boolean =>
  !PERMANENT_CODES.includes((error as NodeJS.ErrnoException).code);

async function lookUpBySystem(name: string): Promise<string[]> {
  try {
    const found = await lookup(name, { all: true, verbatim: true });
    return found.map(({ address }) => address);
  } catch (error) {
    throw new HostUnknownError({ temporary: isTemporary(error) });
  }
}
