/** A backup can be neither made nor restored for a reason that the operator can mend; the message says how. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** Explains errors of the operating system, such as a full disk or a folder that may not be written to. */
export async function explainSystemErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new BackupError(error.message, { cause: error });
  }
}

const isSystemError = (error: unknown): error is Error =>
  typeof error === 'object' && error !== null && 'syscall' in error && 'message' in error;
