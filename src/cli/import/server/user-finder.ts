import type { INestApplicationContext } from '@nestjs/common';
import { type User, UsersRepository, UsersService } from '../../../modules/users/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { randomToken } from '../../../platform/secrets/index.js';
import { refusalText } from '../refusal-text.js';
import type { ServerImportState } from './import-state.js';
import type { RemoteRecord } from './remote-record.js';
import type { RemoteServer } from './remote-server.js';

const NO_ACCOUNT =
  'has no account here: texts name the author, memberships are left out (--create-users makes accounts)';

/** What a text becomes whose author may not have an account here. */
export interface Attributed {
  readonly authorId: number;
  readonly text: string;
}

export interface UserFinderOptions {
  readonly createUsers: boolean;
  /** Whether accounts are only counted that would be made. */
  readonly dryRun: boolean;
  /** Whether the owner of the token is an administrator there, and is shown e-mail addresses. */
  readonly seesAddresses: boolean;
}

/**
 * Finds the accounts of the other server's users: by e-mail address if that is known, else by user name. Without an
 * account, what they wrote is attributed to the user who imports, with a line that names them.
 */
export class UserFinder {
  private readonly known = new Map<number, Promise<User | null>>();
  private readonly users: UsersRepository;

  constructor(
    private readonly app: INestApplicationContext,
    private readonly server: RemoteServer,
    readonly importer: User,
    private readonly options: UserFinderOptions,
    private readonly state: ServerImportState,
  ) {
    this.users = app.get(UsersRepository);
  }

  /** Finds the account of a user, who is new here perhaps. Null if there is none. */
  find(user: RemoteRecord): Promise<User | null> {
    const id = user.integer('id');
    const found = this.known.get(id) ?? this.findOrCreate(id, user);
    this.known.set(id, found);
    return found;
  }

  /** As `find`, for a user of whom only the ID is known. */
  async findById(id: number): Promise<User | null> {
    return (await this.known.get(id)) ?? this.find(await this.server.get(`/users/${String(id)}`));
  }

  /** Names the author in the text of somebody without an account. */
  async attribute(author: RemoteRecord | null, time: Date, text: string): Promise<Attributed> {
    const user = author === null ? null : await this.find(author);
    if (user !== null) return { authorId: user.id, text };
    const name = plain(author?.optionalLine('name') ?? 'Somebody');
    const line = `*By ${name} on ${time.toISOString().slice(0, 10)}*`;
    return { authorId: this.importer.id, text: text === '' ? line : `${line}\n\n${text}` };
  }

  private async findOrCreate(id: number, summary: RemoteRecord): Promise<User | null> {
    const username = summary.line('username');
    const details = this.options.seesAddresses
      ? await this.server.find(`/users/${String(id)}`)
      : null;
    const email = details?.optionalLine('email') ?? null;
    const found =
      (email === null ? null : await this.users.findByEmail(email)) ??
      (await this.users.findByUsername(username));
    if (found !== null) return found;
    const { createUsers, dryRun } = this.options;
    if (createUsers && !dryRun) return this.create(username, summary, email);
    const { report } = this.state;
    if (createUsers) report.add(`user ${username}`, 'users');
    else report.problem(`user ${username}`, NO_ACCOUNT);
    return null;
  }

  /** Creates a blocked account; never an administrator. */
  private async create(
    username: string,
    summary: RemoteRecord,
    email: string | null,
  ): Promise<User | null> {
    const service = this.app.get(UsersService);
    try {
      const user = await this.app.get(UnitOfWork).run(async () => {
        const made = await service.create({
          username,
          name: summary.optionalLine('name') ?? username,
          email: email ?? `${username}@${new URL(this.server.url).hostname}.invalid`,
          password: randomToken(),
        });
        await service.block(this.importer, made.id);
        return made;
      });
      this.state.report.add(`user ${username}`, 'users');
      // Nothing else shows later that this account was made by the import.
      await this.state.save();
      return user;
    } catch (error) {
      const reason = refusalText(error);
      if (reason === null) throw error;
      this.state.report.problem(`user ${username}`, reason);
      return null;
    }
  }
}

/** Removes what would be Markdown or a mention. */
const plain = (name: string): string =>
  name.replace(/[^\p{L}\p{M}\p{N} .'-]/gu, '').trim() || 'Somebody';
