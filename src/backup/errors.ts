/** A backup can be neither made nor restored for a reason that the operator can mend; the message says how. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/**
 * Explains errors of the operating system, such as a full disk or a folder that may not be written to.
 * @param place where it writes, for errors that do not say it
 */
export async function explainSystemErrors<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const message = 'path' in error ? error.message : `${place}: ${error.message}`;
    throw new BackupError(message, { cause: error });
  }
}

const isSystemError = (error: unknown): error is Error =>
  typeof error === 'object' && error !== null && 'syscall' in error && 'message' in error;
