/** A backup can be neither made nor restored for a reason that the operator can mend; the message says how. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}
