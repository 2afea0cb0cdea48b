import { randomUUID } from 'node:crypto';
import { chmod, open, rename } from 'node:fs/promises';

/** Prints the password of a remote for ssh. */
export const ASKPASS = `#!/bin/sh
printf '%s\\n' "$REMOTE_PASSWORD"
`;

/** Writes an executable file atomically, so that no process runs half of it. */
export async function writeProgram(path: string, text: string): Promise<void> {
  const draft = `${path}-${randomUUID()}`;
  const file = await open(draft, 'wx', 0o700);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  // The umask of the process may have removed bits.
  await chmod(draft, 0o700);
  await rename(draft, path);
}
