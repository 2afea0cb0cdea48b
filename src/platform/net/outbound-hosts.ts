import { Injectable } from '@nestjs/common';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Config } from '../config/index.js';
import { inNetworks } from './networks.js';
import { addressOf, isPublicAddress, normalHost } from './public-address.js';

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
  private readonly allowsLocal: boolean;
  private readonly allowedNames: ReadonlySet<string>;
  private readonly isAllowedAddress: (address: string) => boolean;

  constructor(config: Config) {
    const isNetwork = (host: string): boolean => isIP(host.split('/')[0] ?? '') > 0;
    const allowed = config.webhookAllowedHosts;
    this.allowsLocal = config.webhookAllowLocal;
    this.allowedNames = new Set(allowed.filter((host) => !isNetwork(host)));
    this.isAllowedAddress = inNetworks(allowed.filter(isNetwork));
  }

  /** Whether a host is refused, as far as that is known without a DNS look-up. */
  refuses(host: string): boolean {
    const address = addressOf(host);
    if (address !== null) return !this.mayConnectTo(address);
    const name = normalHost(host) ?? 'localhost';
    return !this.allowsName(name) && /(?:^|\.)localhost$/.test(name);
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
    return this.allowsLocal || this.allowedNames.has(name);
  }

  private mayConnectTo(address: string): boolean {
    if (this.allowsLocal || this.isAllowedAddress(address)) return true;
    return isPublicAddress(address) && !this.ownAddresses().includes(address);
  }

  /** The addresses of this machine now, public ones among them, in their usual notation. */
  protected ownAddresses(): string[] {
    const addresses = Object.values(networkInterfaces()).flatMap((of) => of ?? []);
    return addresses.map(({ address }) => address);
  }

  /** Asks the machine's resolver. */
  protected async lookUp(name: string): Promise<string[]> {
    try {
      const found = await lookup(name, { all: true, verbatim: true });
      return found.map(({ address }) => address);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new HostUnknownError({ temporary: code !== 'ENOTFOUND' && code !== 'ENODATA' });
    }
  }
}
