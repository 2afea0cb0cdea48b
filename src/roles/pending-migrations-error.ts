/** The database is older than the code. */
export class PendingMigrationsError extends Error {
  override readonly name = 'PendingMigrationsError';

  constructor() {
    super('The database is older than this program: run `npm run migrate` first.');
  }
}
