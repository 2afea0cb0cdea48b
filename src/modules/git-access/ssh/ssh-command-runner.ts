import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { type PackResult, RepositoryMissingError } from '../../../git/index.js';
import { runInScope } from '../../../platform/async/index.js';
import { ClientDisconnectedError } from '../../../platform/errors/index.js';
import { newScope, startTrace } from '../../../platform/tracing/index.js';
import {
  AccessRecheck,
  type ReleaseSlot,
  type SlotCaller,
  SlotsTakenError,
} from '../../../platform/limits/index.js';
import {
  accessFor,
  DownloadSlots,
  type ProjectAccess,
  type ProjectRef,
} from '../../authorization/index.js';
import { RepositoryReadiness } from '../../projects/index.js';
import { findUnavailability, type GitStreams, ReceivePush } from '../../repository/index.js';
import { ProjectStorage } from '../../storage/index.js';
import { PUSH_TEXTS } from '../push-texts.js';
import { RepositoryAccess } from '../repository-access.js';
import { acquireSlot, TooManyFetchesError, TransportSlots } from '../transport-slots.js';
import { unavailableText } from '../unavailable-text.js';
import { SshAuthentication, type SshCaller } from './ssh-authentication.js';
import { parseSshCommand, type SshCommand } from './ssh-command.js';

/** The texts that clients get on standard error (docs/reference/git.md#ssh). */
const TEXT = {
  missing: 'The project you were looking for could not be found.',
  'git-upload-pack': 'You are not allowed to download code from this project.',
  'git-receive-pack': 'You are not allowed to push code to this project.',
  'git-upload-archive': 'You are not allowed to download code from this project.',
  readOnlyKey: 'This deploy key does not have write access to this project.',
  blocked: 'Your account has been blocked.',
  protocolDisabled: 'Git access over SSH is not allowed',
  command: "The command you're trying to execute is not allowed.",
  unknownKey: 'Your key is not known any more.',
  beingFilled: 'The repository is still being filled. Try again later.',
  tooMany: 'You have too many Git operations under way.',
  busy: 'The service is busy.',
  stopping: 'The service is being stopped. Try again later.',
} as const;

/** A refusal of a command; its message goes to the client. */
class SshRefusal extends Error {
  override readonly name = 'SshRefusal';
}

/** Ends of commands that are no failures of the service. */
const EXPECTED = [
  SshRefusal,
  SlotsTakenError,
  TooManyFetchesError,
  ClientDisconnectedError,
  RepositoryMissingError,
] as const;

/** A command of an authenticated client. */
interface SshCall {
  /** The public key that the client authenticated with. */
  key: Buffer;
  /** IP address. */
  address: string;
  /** The command line; null for a shell. */
  line: string | null;
  /** Whether the process is draining and runs no more commands. */
  stopping: boolean;
  streams: GitStreams;
}

interface SshResult {
  exitCode: number;
  /** For the client's standard error. */
  text?: string;
}

type GitCommand = Extract<SshCommand, { kind: 'git' }>;

/** Runs the commands of SSH clients, and logs each by one line (docs/reference/git.md#ssh). */
@Injectable()
export class SshCommandRunner {
  constructor(
    private readonly authentication: SshAuthentication,
    private readonly repositories: RepositoryAccess,
    private readonly storage: ProjectStorage,
    private readonly readiness: RepositoryReadiness,
    private readonly pushes: ReceivePush,
    private readonly slots: TransportSlots,
    private readonly downloads: DownloadSlots,
  ) {}

  /** Runs a command. Never rejects: failures are reported to the client and logged. */
  async runCommand(call: SshCall, logger: Logger): Promise<SshResult> {
    const requestId = randomUUID();
    const begun = performance.now();
    const command = parseSshCommand(call.line);
    const entry: Record<string, unknown> = { requestId, ...describe(command, call.address) };
    const span = startTrace(`ssh ${nameOfCommand(command)}`, { kind: 'server' }, undefined);
    // A fetch may take hours, in which it sends no statement: it is not followed without need.
    const isFollowed = span !== undefined || nameOfCommand(command) === 'git-receive-pack';
    const scope = isFollowed ? newScope(span) : undefined;
    let result: SshResult;
    let failure: unknown;
    try {
      const exitCode = await runInScope(scope, async () => {
        const caller = await this.identify(call);
        if (caller.kind === 'user') entry['userId'] = caller.user.id;
        else entry['deployKeyId'] = caller.key.id;
        return this.perform(caller, command, call);
      });
      result = { exitCode };
    } catch (error) {
      result = { exitCode: 1, text: textFor(error, requestId) };
      if (!EXPECTED.some((type) => error instanceof type)) failure = error;
    }
    const { exitCode, text } = result;
    const durationMs = Math.round(performance.now() - begun);
    span?.setAttributes({ 'trellis.request_id': requestId, 'process.exit.code': exitCode });
    span?.end(failure);
    const followed = { statements: scope?.counts.statements, traceId: span?.context.traceId };
    const said = text === undefined ? {} : { text };
    const line = { ...entry, exitCode, durationMs, ...followed, ...said };
    if (failure === undefined) logger.info(line, 'ssh command completed');
    else logger.error({ ...line, err: failure }, 'ssh command failed');
    return result;
  }

  /**
   * Finds the caller, anew for every command: the key may have been deleted since the connection began.
   * @throws SshRefusal
   */
  private async identify({ key, stopping }: SshCall): Promise<SshCaller> {
    if (stopping) throw new SshRefusal(TEXT.stopping);
    const caller = await this.authentication.findCaller(key);
    if (caller === null) throw new SshRefusal(TEXT.unknownKey);
    if (caller.kind === 'user' && caller.user.state !== 'active') {
      throw new SshRefusal(TEXT.blocked);
    }
    if (await this.repositories.isProtocolDisabled('ssh'))
      throw new SshRefusal(TEXT.protocolDisabled);
    return caller;
  }

  private async perform(caller: SshCaller, command: SshCommand, call: SshCall): Promise<number> {
    switch (command.kind) {
      case 'greeting':
        call.streams.output.write(`Welcome, ${nameOf(caller)}!\n`);
        return 0;
      case 'git':
        return this.runGit(caller, command, call);
      case 'nowhere':
        throw new SshRefusal(TEXT.missing);
      case 'other':
        throw new SshRefusal(TEXT.command);
    }
  }

  /**
   * Serves a fetch, a push or an archive.
   * @returns the exit code of git
   * @throws SshRefusal
   * @throws SlotsTakenError
   */
  private async runGit(caller: SshCaller, command: GitCommand, call: SshCall): Promise<number> {
    const { streams } = call;
    const client = clientOf(caller, call);
    const access = await this.authorize(caller, command, client);
    const repository = this.storage.repository(access.project);
    const recheck = new AccessRecheck(async () =>
      this.authorize(await this.identify(call), command, client),
    );
    if (command.service === 'git-upload-archive') {
      const admit = (): Promise<ReleaseSlot> =>
        recheck.afterWait(acquireSlot(this.downloads, client, streams.signal));
      return exitCodeOf(await repository.uploadArchive({ ...streams, admit }));
    }
    if (command.service === 'git-receive-pack') {
      const push = (): Promise<number> => this.push(caller, command, call, access);
      return this.slots.hold(client, streams.signal, push);
    }
    return this.slots.holdForFetch(client, streams.signal, recheck, async (slot) =>
      exitCodeOf(await repository.uploadPack({ ...streams, slot })),
    );
  }

  private async push(
    caller: SshCaller,
    command: GitCommand,
    call: SshCall,
    admitted: ProjectAccess,
  ): Promise<number> {
    const { streams } = call;
    let access = admitted;
    if (access.project.repositoryState !== 'ready') {
      const isReady = await this.readiness.wait(access.project.id, streams.signal);
      if (!isReady) throw new SshRefusal(TEXT.beingFilled);
      // After a long wait, the path may name another project.
      access = await this.authorize(caller, command, clientOf(caller, call));
    }
    const userId = await this.findPusher(caller, access.project);
    if (userId === null) throw new SshRefusal(TEXT.readOnlyKey);
    const { project } = access;
    const isStillSignedIn = (): Promise<boolean> =>
      this.isStillPusher(userId, { caller, project }, call);
    const isDeployKey = caller.kind === 'deploy key';
    return this.pushes.receive(
      { access, userId, isStillSignedIn, isDeployKey },
      streams,
      PUSH_TEXTS,
    );
  }

  /** Finds the account in whose name a caller pushes; null for a deploy key that may not push. */
  private async findPusher(caller: SshCaller, { id }: ProjectRef): Promise<number | null> {
    return caller.kind === 'user' ? caller.user.id : this.repositories.findPusher(caller.key, id);
  }

  /** Whether the key of a client still lets it push in the name of the same account, and is one of the same kind. */
  private async isStillPusher(
    userId: number,
    { caller, project }: { caller: SshCaller; project: ProjectRef },
    { key }: SshCall,
  ): Promise<boolean> {
    const current = await this.authentication.findCaller(key);
    if (current?.kind !== caller.kind) return false;
    if ((await this.findPusher(current, project)) !== userId) return false;
    return !(await this.repositories.isProtocolDisabled('ssh'));
  }

  /** @throws SshRefusal */
  private async authorize(
    caller: SshCaller,
    { service, path }: GitCommand,
    client: SlotCaller,
  ): Promise<ProjectAccess> {
    const decision =
      caller.kind === 'user'
        ? await this.repositories.authorize(caller.user, path, service)
        : await this.repositories.authorizeDeployKey(caller.key, path, service);
    if (decision.kind === 'granted') return accessFor(client, decision.access);
    if (decision.kind === 'read-only') throw new SshRefusal(TEXT.readOnlyKey);
    throw new SshRefusal(decision.kind === 'missing' ? TEXT.missing : TEXT[service]);
  }
}

const exitCodeOf = ({ exitCode }: PackResult): number => exitCode ?? 1;

const clientOf = (caller: SshCaller, { address }: SshCall): SlotCaller => ({
  address,
  userId: caller.kind === 'user' ? caller.user.id : null,
});

const nameOf = (caller: SshCaller): string =>
  caller.kind === 'user' ? caller.user.name : caller.key.title;

const nameOfCommand = (command: SshCommand): string =>
  'service' in command ? command.service : command.kind;

/** Returns the fields of the log line. An unknown command is not logged: its line may contain anything. */
function describe(command: SshCommand, remoteAddress: string): Record<string, unknown> {
  const project =
    'path' in command ? `${command.path.namespace}/${command.path.project}` : undefined;
  return { ssh: { command: nameOfCommand(command), project, remoteAddress } };
}

function textFor(error: unknown, requestId: string): string {
  if (error instanceof SshRefusal) return error.message;
  if (error instanceof TooManyFetchesError) return error.message;
  if (error instanceof SlotsTakenError) {
    const reason = error.isCallers ? TEXT.tooMany : TEXT.busy;
    return `${reason} Try again in ${String(error.retryAfterSeconds)} seconds.`;
  }
  const detail = findUnavailability(error);
  if (detail !== undefined) return unavailableText(detail);
  return `Something went wrong. The log has details under ${requestId}.`;
}
