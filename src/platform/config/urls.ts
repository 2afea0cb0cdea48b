import { isIPv6 } from 'node:net';
import type { Config } from './config.js';

const STANDARD_SSH_PORT = 22;

/** The addresses that users see (docs/reference/conventions.md#addresses). */
export class Urls {
  private readonly hostname: string;

  constructor(private readonly config: Config) {
    this.hostname = new URL(config.http.externalUrl).hostname;
  }

  /** `EXTERNAL_URL` followed by the given path segments, percent-encoded where they need it. */
  web(...segments: string[]): string {
    return [this.config.http.externalUrl, ...segments.map(encodeSegment)].join('/');
  }

  project(fullPath: string): string {
    return this.web(...fullPath.split('/'));
  }

  /** An e-mail address for a user whose own one is private, at a host that receives no mail. */
  emailWithoutMailbox(username: string): string {
    return `${username}@users.noreply.${this.hostname}`;
  }

  gitOverHttp(fullPath: string): string {
    return `${this.project(fullPath)}.git`;
  }

  /** The short form when clients reach SSH on its standard port, else the form that names the port. */
  gitOverSsh(fullPath: string): string {
    const { ssh } = this.config;
    const host = ssh.externalHost ?? this.hostname;
    const bracketed = isIPv6(host) ? `[${host}]` : host;
    const port = ssh.externalPort ?? ssh.port;
    return port === STANDARD_SSH_PORT || port === 'off'
      ? `git@${bracketed}:${fullPath}.git`
      : `ssh://git@${bracketed}:${String(port)}/${fullPath}.git`;
  }
}

/** What `EXTERNAL_URL` has behind its host, to be put before every path of this service; without a slash at the end. */
export function basePathOf(externalUrl: string): string {
  return new URL(externalUrl).pathname.replace(/\/$/, '');
}

function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replaceAll('%40', '@');
}
