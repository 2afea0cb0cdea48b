import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';

const MINUTE = 60_000;

/** What one client may take of a process. */
@Injectable()
export class SshLimits {
  readonly connections: number;
  readonly connectionsOfOneAddress: number;
  /** How long signing in may take; milliseconds. */
  readonly signInMs: number = 20_000;
  /** For how long a connection that signs in need not make room for others; milliseconds. */
  readonly handshakeMs: number = 1_000;
  /** Sessions of one connection at the same time. */
  readonly sessions: number = 10;
  /** Attempts to sign in on one connection: agents offer all the keys they have. */
  readonly attempts: number = 20;
  /** How long a connection may be without a command; milliseconds. */
  readonly restMs: number = MINUTE;
  /** How long a connection may be without a byte in either direction; milliseconds. */
  readonly silenceMs: number = 10 * MINUTE;
  /** What a connection may hold of bytes that one of its ends does not take. */
  readonly heldBytes: number = 8 * 1024 * 1024;

  constructor({ ssh }: Config) {
    this.connections = ssh.maxConnections;
    this.connectionsOfOneAddress = Math.ceil(ssh.maxConnections / 4);
  }
}
