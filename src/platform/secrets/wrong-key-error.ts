/** The instance key differs from the one that encrypted the stored secrets. */
export class WrongKeyError extends Error {
  override readonly name = 'WrongKeyError';

  constructor(options?: ErrorOptions) {
    super(
      'SECRET_KEY (or DATA_DIR/secret.key) is not the key this database was made with: restore it from a backup, ' +
        'or run `trellis rotate-secret` again if it was interrupted.',
      options,
    );
  }
}
