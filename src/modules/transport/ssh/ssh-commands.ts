import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { GitBusyError, RepositoryMissingError } from '../../../git/index.js';
import { SlotsTakenError } from '../../../platform/limits/index.js';
import type { GitStreams } from '../../repository/index.js';
import { RepositoryAccess } from '../repository-access.js';
import { type SshCaller, SshCallers } from './ssh-callers.js';
import { parseSshCommand, type SshCommand } from './ssh-command.js';
import { SshConversation } from './ssh-conversation.js';
import { SshRefusal, TEXT } from './ssh-refusal.js';

/** One command of a client that has signed in. */
export interface SshCall {
  /** The public key it signed in with. */
  key: Buffer;
  /** IP address. */
  address: string;
  /** Null asks for a shell. */
  line: string | null;
  /** True when the process takes nothing new. */
  stopping: boolean;
  streams: GitStreams;
}

export interface SshOutcome {
  exitCode: number;
  /** For the client's standard error. */
  text?: string;
}

/** Carries out what clients ask for, and logs each command by one line (docs/reference/git.md#ssh). */
@Injectable()
export class SshCommands {
  constructor(
    private readonly callers: SshCallers,
    private readonly repositories: RepositoryAccess,
    private readonly conversation: SshConversation,
  ) {}

  /** Never rejects: what goes wrong is told to the client and to the log. */
  async run(call: SshCall, logger: Logger): Promise<SshOutcome> {
    const requestId = randomUUID();
    const begun = performance.now();
    const command = parseSshCommand(call.line);
    const entry: Record<string, unknown> = { requestId, ...describe(command, call.address) };
    let outcome: SshOutcome;
    let failure: unknown;
    try {
      const caller = await this.identify(call);
      if (caller.kind === 'user') entry['userId'] = caller.user.id;
      else entry['deployKeyId'] = caller.key.id;
      outcome = { exitCode: await this.perform(caller, command, call) };
    } catch (error) {
      outcome = { exitCode: 1, text: textFor(error, requestId) };
      if (!(error instanceof SshRefusal)) failure = error;
    }
    const { exitCode, text } = outcome;
    const durationMs = Math.round(performance.now() - begun);
    const line = { ...entry, exitCode, durationMs, ...(text === undefined ? {} : { text }) };
    if (failure === undefined) logger.info(line, 'ssh command completed');
    else logger.error({ ...line, err: failure }, 'ssh command failed');
    return outcome;
  }

  /** Asked anew for every command: the key and its holder may be gone since the connection began. */
  private async identify({ key, stopping }: SshCall): Promise<SshCaller> {
    if (stopping) throw new SshRefusal(TEXT.stopping);
    const caller = await this.callers.find(key);
    if (caller === null) throw new SshRefusal(TEXT.unknownKey);
    if (caller.kind === 'user' && caller.user.state !== 'active') {
      throw new SshRefusal(TEXT.blocked);
    }
    if (await this.repositories.isSwitchedOff('ssh')) throw new SshRefusal(TEXT.switchedOff);
    return caller;
  }

  private async isStillKeyOf(caller: SshCaller, { key }: SshCall): Promise<boolean> {
    const now = await this.callers.find(key);
    if (now?.kind !== 'user' || caller.kind !== 'user' || now.user.id !== caller.user.id)
      return false;
    return !(await this.repositories.isSwitchedOff('ssh'));
  }

  private async perform(caller: SshCaller, command: SshCommand, call: SshCall): Promise<number> {
    const { address, streams } = call;
    switch (command.kind) {
      case 'greeting':
        streams.output.write(`Welcome, ${nameOf(caller)}!\n`);
        return 0;
      case 'git':
        return this.conversation.hold(
          caller,
          { ...command, address, isStillSignedIn: () => this.isStillKeyOf(caller, call) },
          streams,
        );
      case 'nowhere':
        throw new SshRefusal(TEXT.missing);
      case 'other':
        throw new SshRefusal(TEXT.command);
    }
  }
}

const nameOf = (caller: SshCaller): string =>
  caller.kind === 'user' ? caller.user.name : caller.key.title;

/** What the log tells of a command; a line that is not understood may hold anything. */
function describe(command: SshCommand, remoteAddress: string): Record<string, unknown> {
  const called = 'service' in command ? command.service : command.kind;
  const project =
    'path' in command ? `${command.path.namespace}/${command.path.project}` : undefined;
  return { ssh: { command: called, project, remoteAddress } };
}

function textFor(error: unknown, requestId: string): string {
  if (error instanceof SshRefusal) return error.message;
  if (error instanceof RepositoryMissingError) return TEXT.missing;
  if (error instanceof GitBusyError) return TEXT.busy;
  if (error instanceof SlotsTakenError) return error.isCallers ? TEXT.tooMany : TEXT.busy;
  return `Something went wrong. The log tells more under ${requestId}.`;
}
