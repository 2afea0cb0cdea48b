import { stat } from 'node:fs/promises';
import path from 'node:path';
import { inspectHostKeys } from '../../modules/git-access/index.js';
import { findFirstUser } from '../../modules/users/model/first-user.query.js';
import type { Config } from '../../platform/config/index.js';
import { INSTANCE_KEY_FILE, loadSecretKey, Secrets } from '../../platform/secrets/index.js';
import { withReads } from '../probes/database.js';
import { attempt, type Check, ok, problem } from './check.js';

/** Checks that the key of the instance is there, and opens what the database has. */
export function checkSecretKey(config: Config, databaseUrl: string): Promise<Check> {
  const name = 'secret-key';
  const file = path.join(config.dataDir, INSTANCE_KEY_FILE);
  const advice = `restore SECRET_KEY, or ${file}, from a backup: nothing else opens the stored secrets`;
  return attempt(name, advice, async () => {
    const first = await withReads(databaseUrl, findFirstUser);
    const isAbsent = config.secretKey === undefined && !(await isPresent(file));
    if (config.secretKey === undefined && (await isPresent(`${file}.next`))) {
      const detail = `there is a ${file}.next: \`trellis rotate-secret\` was interrupted`;
      return problem(name, detail, 'stop the service, then run `trellis rotate-secret` again');
    }
    if (isAbsent) {
      if (first === null) return ok(name, 'the first start makes one');
      return problem(name, `there is no SECRET_KEY, and no file ${file}`, advice);
    }
    if (first === null) return ok(name, 'readable, nothing is encrypted yet');
    const secrets = new Secrets(await loadSecretKey(config));
    return secrets.opens(first.privateTokenSealed)
      ? ok(name, 'opens the stored secrets')
      : problem(name, 'is not the key that the database was made with', advice);
  });
}

/** Checks the private keys by which SSH clients recognise the service. */
export function checkHostKeys({ dataDir, ssh }: Config): Promise<Check> {
  const name = 'ssh-host-keys';
  const advice =
    'restore the ssh_host_*_key files in DATA_DIR from a backup, without a passphrase, or clients report a changed key';
  if (ssh.port === 'off') return Promise.resolve(ok(name, 'Git over SSH is off'));
  return attempt(name, advice, async () => {
    const states = await inspectHostKeys(dataDir);
    const broken = [...states].filter(
      ([, state]) => state === 'encrypted' || state === 'unreadable',
    );
    const [first] = broken;
    if (first !== undefined) return problem(name, `${first[0]} is ${first[1]}`, advice);
    const isNew = [...states.values()].every((state) => state === 'absent');
    return ok(name, isNew ? 'the first start makes them' : 'readable');
  });
}

const isPresent = async (file: string): Promise<boolean> =>
  (await stat(file).catch(() => null)) !== null;
