import { Injectable } from '@nestjs/common';
import { type FieldTexts, invalidRecord } from '../../platform/errors/index.js';
import { hashPassword, randomToken, Secrets } from '../../platform/secrets/index.js';
import { type ApplicationSettings, SettingsService } from '../settings/index.js';
import { domainRefusal } from './domain-lists.js';
import type { CreateUserInput } from './user-input.js';
import { cleaned, userErrors } from './user.rules.js';
import type { NewUser } from './users.repository.js';

/** Turns what is asked for into an account that may be made, or says why it may not. */
@Injectable()
export class UserDrafts {
  constructor(
    private readonly settings: SettingsService,
    private readonly secrets: Secrets,
  ) {}

  /**
   * An external account gets no quota and makes no groups (open points 2.2).
   * @throws DomainError invalid record: every field that breaks a rule of open points 5.15
   */
  async prepare(given: CreateUserInput): Promise<NewUser> {
    const input = cleaned(given);
    const settings = await this.settings.current();
    const errors = errorsOf(input, settings);
    if (Object.keys(errors).length > 0) throw invalidRecord(errors);
    const external = input.external ?? false;
    return {
      ...this.token(input.privateToken ?? randomToken()),
      ...texts(input),
      username: input.username,
      name: input.name,
      email: input.email,
      passwordHash: await hashPassword(input.password),
      projectsLimit: external ? 0 : (input.projectsLimit ?? settings.defaultProjectsLimit),
      canCreateGroup: !external && (input.canCreateGroup ?? true),
      admin: input.admin ?? false,
      external,
      confirmedAt: new Date(),
    };
  }

  private token(token: string): Pick<NewUser, 'privateTokenDigest' | 'privateTokenSealed'> {
    return {
      privateTokenDigest: this.secrets.digest(token),
      privateTokenSealed: this.secrets.seal(token),
    };
  }
}

function texts(input: CreateUserInput): Partial<NewUser> {
  return {
    bio: input.bio ?? null,
    location: input.location ?? null,
    messenger: input.messenger ?? null,
    professionalProfile: input.professionalProfile ?? null,
    microblog: input.microblog ?? null,
    websiteUrl: input.websiteUrl ?? null,
    organization: input.organization ?? null,
  };
}

function errorsOf(input: CreateUserInput, settings: ApplicationSettings): FieldTexts {
  const errors = userErrors(input);
  const refusal = domainRefusal(input.email, settings);
  return errors['email'] !== undefined || refusal === undefined
    ? errors
    : { ...errors, email: [refusal] };
}
