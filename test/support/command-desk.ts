import { chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { runCommand } from './commands.js';

/**
 * Lets a shell call `trellis` without a process of its own for each call, which would load the whole service each time: a
 * program of that name in `folder` sends its arguments here.
 */
export async function openCommandDesk(
  folder: string,
  env: Record<string, string>,
): Promise<{ close(): Promise<void> }> {
  const server = createServer((request, response) => {
    void buffer(request)
      .then((body) => runCommand(body.toString().split('\0').slice(0, -1), env))
      .then(
        ({ code, output, notes }) => [200 + code, code === 0 ? output : output + notes] as const,
        (error: unknown) => [201, String(error)] as const,
      )
      .then(([status, text]) => response.writeHead(status).end(text));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const program = path.join(folder, 'trellis');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  await writeFile(
    program,
    `#!/bin/bash
exec 3>&1
code=$(printf '%s\\0' "$@" | curl --silent --data-binary @- --output /dev/fd/3 --write-out '%{http_code}' ${url})
exit $((code - 200))
`,
  );
  await chmod(program, 0o755);
  return { close: () => new Promise((resolve) => void server.close(() => resolve())) };
}
