import { randomUUID } from 'node:crypto';
import { chmod, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { HIDDEN_PREFIXES, RESERVED_PREFIXES } from '../model/names.js';

/** Prints the password of a remote for ssh. */
export const ASKPASS = `#!/bin/sh
printf '%s\\n' "$REMOTE_PASSWORD"
`;

export type GitSetting = readonly [key: string, value: string];

/**
 * The settings of every git process. They override the `config` file of the repository; system and user
 * configuration are never read.
 */
const SETTINGS: readonly GitSetting[] = [
  // Repositories may belong to another uid, for example on a mounted volume.
  ['safe.directory', '*'],
  ['protocol.allow', 'never'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['receive.autogc', 'false'],
  ['receive.updateServerInfo', 'false'],
  // The service keeps its own record of pushes.
  ['core.logAllRefUpdates', 'false'],
  // Objects and refs of an acknowledged push must survive a power cut.
  ['core.fsync', 'committed,reference'],
  ['core.fsyncMethod', 'batch'],
  // Writers of the same ref wait for each other instead of failing.
  ['core.filesRefLockTimeout', '5000'],
  ['core.packedRefsTimeout', '5000'],
  ['core.commitGraph', 'true'],
  ['core.multiPackIndex', 'true'],
  ['core.useReplaceRefs', 'false'],
  // Larger files are streamed instead of being held in memory, and stored without differences.
  ['core.bigFileThreshold', '16m'],
  ['pack.windowMemory', '64m'],
  ['pack.deltaCacheSize', '64m'],
  ['core.deltaBaseCacheLimit', '32m'],
  ['core.quotePath', 'true'],
  ['core.abbrev', '40'],
  ['diff.renames', 'false'],
  ['diff.suppressBlankEmpty', 'false'],
  // One pack for each push: one file to flush to disk instead of one for each object.
  ['receive.unpackLimit', '1'],
  ['receive.advertisePushOptions', 'true'],
  ['receive.advertiseAtomic', 'true'],
  // No client asks for it.
  ['transfer.advertiseObjectInfo', 'false'],
  ['transfer.advertiseSID', 'false'],
  ['receive.denyDeletes', 'false'],
  ['receive.denyNonFastForwards', 'false'],
  ['receive.denyDeleteCurrent', 'refuse'],
  ['receive.denyCurrentBranch', 'ignore'],
  ['receive.shallowUpdate', 'false'],
  ['transfer.fsckObjects', 'true'],
  ['receive.fsckObjects', 'true'],
  ['fetch.fsckObjects', 'true'],
  // Harmless flaws that old histories contain.
  ['receive.fsck.badTimezone', 'ignore'],
  ['receive.fsck.missingSpaceBeforeDate', 'ignore'],
  ['receive.fsck.zeroPaddedFilemode', 'ignore'],
  ['fetch.fsck.badTimezone', 'ignore'],
  ['fetch.fsck.missingSpaceBeforeDate', 'ignore'],
  ['fetch.fsck.zeroPaddedFilemode', 'ignore'],
  ...RESERVED_PREFIXES.map((prefix): GitSetting => ['receive.hideRefs', prefix]),
  ...HIDDEN_PREFIXES.map((prefix): GitSetting => ['uploadpack.hideRefs', prefix]),
  ['uploadpack.allowFilter', 'true'],
  // Filters by path or with a depth walk all trees for each fetch; combinations multiply that.
  ['uploadpackfilter.allow', 'false'],
  ['uploadpackfilter.blob:none.allow', 'true'],
  ['uploadpackfilter.blob:limit.allow', 'true'],
  ['uploadpackfilter.tree.allow', 'true'],
  ['uploadpackfilter.tree.maxDepth', '0'],
  // A pushed pack is stored in a quarantine folder with the repository as alternate. Without this setting
  // another git process would list the refs of the alternate, which are known already.
  ['core.alternateRefsCommand', 'true'],
  // Partial clones ask for single blobs by name. Protocol version 2 never restricts that; this
  // gives older clients the same.
  ['uploadpack.allowAnySHA1InWant', 'true'],
];

/**
 * Settings that name a program, each with a value that starts none, so that the `config` file of a repository cannot name
 * one. Those that have no such value, or that no command of `command-table.ts` reads, are in
 * docs/decisions/0032-bounded-git.md.
 */
const PROGRAMS: readonly GitSetting[] = [
  ['core.askPass', 'false'],
  ['core.editor', 'false'],
  ['core.fsmonitor', 'false'],
  ['core.pager', 'cat'],
  ['core.sshCommand', 'false'],
  // An empty one removes those before it.
  ['credential.helper', ''],
  ['diff.external', 'false'],
  ['gpg.program', 'false'],
  ['gpg.openpgp.program', 'false'],
  ['gpg.x509.program', 'false'],
  ['gpg.ssh.program', 'false'],
  ['gpg.ssh.defaultKeyCommand', 'false'],
  ['interactive.diffFilter', 'cat'],
  ['merge.default', 'text'],
  ['sequence.editor', 'false'],
  // Git compresses these by itself.
  ['tar.tar.gz.command', 'git archive gzip'],
  ['tar.tgz.command', 'git archive gzip'],
];

export interface RuntimeFolders {
  /** An empty home directory, so that no configuration of a user is read. */
  home: string;
  /** Contains the hooks of the service and nothing else. */
  hooks: string;
  /** The same, with one that asks again when refs are locked. */
  guardedHooks: string;
  /** The program that ssh runs to get a password. */
  askpass: string;
}

export function runtimeFolders(runtimeDir: string): RuntimeFolders {
  return {
    home: join(runtimeDir, 'home'),
    hooks: join(runtimeDir, 'hooks'),
    guardedHooks: join(runtimeDir, 'guarded-hooks'),
    askpass: join(runtimeDir, 'askpass'),
  };
}

/** The settings of the tables and `core.hooksPath`. */
const GENERAL = SETTINGS.length + PROGRAMS.length + 1;

/** Returns the environment of a command with additional settings. */
export function withSettings(settings: readonly GitSetting[]): Record<string, string> {
  return numbered(settings, GENERAL);
}

function numbered(settings: readonly GitSetting[], first: number): Record<string, string> {
  const variables = settings.flatMap(([key, value], index): GitSetting[] => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return {
    ...Object.fromEntries<string>(variables),
    GIT_CONFIG_COUNT: String(first + settings.length),
  };
}

/** Returns the complete environment of git processes. Of the service's own environment only PATH is passed on. */
export function gitEnvironment(folders: RuntimeFolders): Record<string, string> {
  const settings: readonly GitSetting[] = [
    ...SETTINGS,
    ...PROGRAMS,
    ['core.hooksPath', folders.hooks],
  ];
  return {
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: folders.home,
    XDG_CONFIG_HOME: folders.home,
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    SSH_ASKPASS: 'false',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_PAGER: 'cat',
    // Outweighs every `core.gitProxy`, of which the first counts.
    GIT_PROXY_COMMAND: '',
    GIT_NO_LAZY_FETCH: '1',
    ...numbered(settings, 0),
  };
}

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
