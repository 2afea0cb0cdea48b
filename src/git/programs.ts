import { randomUUID } from 'node:crypto';
import { chmod, open, rename } from 'node:fs/promises';

/** Tells ssh the password that its own process was given. */
export const ASKPASS = `#!/bin/sh
printf '%s\\n' "$REMOTE_PASSWORD"
`;

/** Puts a program into place in one step; processes that are about to run it see it whole. */
export async function writeProgram(path: string, text: string): Promise<void> {
  const draft = `${path}-${randomUUID()}`;
  const file = await open(draft, 'wx', 0o700);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  // Once more, since the process's umask may have taken bits away.
  await chmod(draft, 0o700);
  await rename(draft, path);
}
