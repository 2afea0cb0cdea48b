import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { randomToken, Secrets } from '../../../platform/secrets/index.js';

/** No hash of any password. */
const NO_PASSWORD = '!';

const FIND = 'SELECT id FROM users WHERE ghost';

const INSERT = `
  INSERT INTO users (ghost, username, name, email, state, password_hash, private_token_digest,
                     private_token_sealed, projects_limit, can_create_group)
  VALUES (true, 'ghost', 'Ghost User', '', 'blocked', $1, $2, $3, 0, false)
  ON CONFLICT DO NOTHING`;

/** The built-in account that what deleted users wrote is attributed to (open points 5.15). */
@Injectable()
export class Ghost {
  constructor(
    private readonly database: Database,
    private readonly secrets: Secrets,
  ) {}

  /** Its ID; the account is made when it is needed for the first time. */
  async id(): Promise<number> {
    const known = await this.find();
    if (known !== undefined) return known;
    const token = randomToken();
    // Somebody else who makes it at the same time is waited for.
    await this.database.rows(INSERT, [
      NO_PASSWORD,
      this.secrets.digest(token),
      this.secrets.seal(token),
    ]);
    const made = await this.find();
    if (made === undefined) throw new Error('The ghost account cannot be made');
    return made;
  }

  private async find(): Promise<number | undefined> {
    const [row] = await this.database.rows<{ id: number }>(FIND);
    return row?.id;
  }
}
