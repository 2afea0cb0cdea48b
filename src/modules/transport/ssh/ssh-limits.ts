import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';

const MINUTE = 60_000;

/** The limits of SSH connections. */
@Injectable()
export class SshLimits {
  readonly connections: number;
  readonly connectionsOfOneAddress: number;
  /** How long authentication may take; milliseconds. */
  readonly signInMs: number = 20_000;
  /** How long a new connection is kept when there are too many connections; milliseconds. */
  readonly handshakeMs: number = 1_000;
  /** Concurrent sessions of one connection. */
  readonly sessions: number = 10;
  /** Authentication attempts of one connection: agents offer all their keys. */
  readonly attempts: number = 20;
  /** How long a connection may have no command; milliseconds. */
  readonly restMs: number = MINUTE;
  /** How long a connection may transfer no byte in either direction; milliseconds. */
  readonly silenceMs: number = 10 * MINUTE;
  /** The bytes that a connection may buffer for each of its ends. */
  readonly heldBytes: number = 8 * 1024 * 1024;

  constructor({ ssh }: Config) {
    this.connections = ssh.maxConnections;
    this.connectionsOfOneAddress = Math.ceil(ssh.maxConnections / 4);
  }
}
