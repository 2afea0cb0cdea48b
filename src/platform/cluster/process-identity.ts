import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Who this process is to others, which may run on other machines or in other containers. */
export class ProcessIdentity {
  /** Made for each start. */
  readonly id: string = randomUUID();
  /** For people: two machines may have the same host name. */
  readonly host = hostname();
  /** Equal for two processes that see each other's process IDs. */
  readonly machine = findMachine();

  /** Whether a machine is a container beside this one, or was one. */
  sharesKernelWith(machine: string | null): boolean {
    return machine !== null && kernelOf(machine) === kernelOf(this.machine);
  }

  /** The name of its sessions in the views of PostgreSQL. */
  get sessionName(): string {
    return `${SESSION_PREFIX}${this.id}`;
  }
}

/** What the names of sessions begin with, before the ID of their process. */
export const SESSION_PREFIX = 'trellis ';

/** Process IDs are those of a namespace of a running kernel; elsewhere than on Linux, those of a host. */
function findMachine(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const [namespace = ''] = /\d+/.exec(readlinkSync('/proc/self/ns/pid')) ?? [];
    return `${boot}/${namespace}`;
  } catch {
    return hostname();
  }
}

const kernelOf = (machine: string): string | undefined => machine.split('/')[0];
