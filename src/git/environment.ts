import { join } from 'node:path';

export type Setting = readonly [key: string, value: string];

/**
 * Every setting git runs with, over whatever a repository's own `config` file says. System and
 * user configuration are never read.
 */
const SETTINGS: readonly Setting[] = [
  // Repositories may belong to another uid, for example on a mounted volume.
  ['safe.directory', '*'],
  ['protocol.allow', 'never'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['receive.autogc', 'false'],
  ['receive.updateServerInfo', 'false'],
  // The service keeps its own record of pushes.
  ['core.logAllRefUpdates', 'false'],
  // What a push was told is stored must survive a power cut, references included.
  ['core.fsync', 'committed,reference'],
  ['core.fsyncMethod', 'batch'],
  // Writers of the same ref queue up rather than fail.
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
  ['receive.denyDeletes', 'false'],
  ['receive.denyNonFastForwards', 'false'],
  ['receive.denyDeleteCurrent', 'refuse'],
  ['receive.denyCurrentBranch', 'ignore'],
  ['receive.shallowUpdate', 'false'],
  ['transfer.fsckObjects', 'true'],
  ['receive.fsckObjects', 'true'],
  ['fetch.fsckObjects', 'true'],
  // Flaws that old but honest histories contain and that harm nobody.
  ['receive.fsck.badTimezone', 'ignore'],
  ['receive.fsck.missingSpaceBeforeDate', 'ignore'],
  ['receive.fsck.zeroPaddedFilemode', 'ignore'],
  ['fetch.fsck.badTimezone', 'ignore'],
  ['fetch.fsck.missingSpaceBeforeDate', 'ignore'],
  ['fetch.fsck.zeroPaddedFilemode', 'ignore'],
  // Pushes see branches and tags; fetches also see the refs of merge requests.
  ['receive.hideRefs', 'refs/'],
  ['receive.hideRefs', '!refs/heads'],
  ['receive.hideRefs', '!refs/tags'],
  ['uploadpack.hideRefs', 'refs/'],
  ['uploadpack.hideRefs', '!refs/heads'],
  ['uploadpack.hideRefs', '!refs/tags'],
  ['uploadpack.hideRefs', '!refs/merge-requests'],
  ['uploadpack.allowFilter', 'true'],
  // Filters by path or with a depth walk all trees for each fetch; combinations multiply that.
  ['uploadpackfilter.allow', 'false'],
  ['uploadpackfilter.blob:none.allow', 'true'],
  ['uploadpackfilter.blob:limit.allow', 'true'],
  ['uploadpackfilter.tree.allow', 'true'],
  ['uploadpackfilter.tree.maxDepth', '0'],
  // A pushed pack lies in a folder of its own, of which the repository is the alternate: its refs are
  // asked for anyway, and another git would be started to list them a second time.
  ['core.alternateRefsCommand', 'true'],
  // Partial clones ask for single blobs by name. Protocol version 2 never restricts that; this
  // gives older clients the same.
  ['uploadpack.allowAnySHA1InWant', 'true'],
];

export interface RuntimeFolders {
  /** Empty, so that nothing of a user's home is picked up. */
  home: string;
  /** Holds the service's own hooks and nothing else. */
  hooks: string;
  /** The program that ssh asks for a password. */
  askpass: string;
}

export function runtimeFolders(runtimeDir: string): RuntimeFolders {
  return {
    home: join(runtimeDir, 'home'),
    hooks: join(runtimeDir, 'hooks'),
    askpass: join(runtimeDir, 'askpass'),
  };
}

/** One more setting than the table has. */
const GENERAL = SETTINGS.length + 1;

/** The environment of a command that has settings of its own, on top of the general ones. */
export function withSettings(settings: readonly Setting[]): Record<string, string> {
  return numbered(settings, GENERAL);
}

function numbered(settings: readonly Setting[], first: number): Record<string, string> {
  const variables = settings.flatMap(([key, value], index): Setting[] => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return {
    ...Object.fromEntries<string>(variables),
    GIT_CONFIG_COUNT: String(first + settings.length),
  };
}

/** The complete environment of every git process; nothing of our own is passed on but PATH. */
export function gitEnvironment(folders: RuntimeFolders): Record<string, string> {
  const settings: readonly Setting[] = [...SETTINGS, ['core.hooksPath', folders.hooks]];
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
    ...numbered(settings, 0),
  };
}
