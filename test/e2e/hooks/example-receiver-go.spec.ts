/**
 * @needs go
 * @operation
 */
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describeReceivers } from '../../support/example-receiver.js';

describe('the receiver of docs/receiving-hooks.md', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'trellis-receiver-'));
  const program = path.join(folder, 'receiver');

  beforeAll(async () => {
    const source = path.resolve('docs/examples/receivers/go/receiver.go');
    // `go run` leaves what it has compiled if it is killed.
    const env = { ...process.env, GOCACHE: path.join(folder, 'cache'), GO111MODULE: 'off' };
    await promisify(execFile)('go', ['build', '-o', program, source], { env });
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  describeReceivers({ Go: [program] });
});
