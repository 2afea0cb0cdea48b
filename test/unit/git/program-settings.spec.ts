import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { gitEnvironment, runtimeFolders } from '../../../src/git/process/environment.js';

/** What the names of settings have in them that start a program, or name a file that git reads. */
const SUSPECT = new RegExp(
  [
    ...['program', 'command', 'cmd', 'hook', 'helper', 'pager', 'editor', 'textconv', 'external'],
    ...['filter', 'driver', 'fsmonitor', 'askpass', 'proxy', 'uploadpack$', 'receivepack$', 'vcs'],
    ...['alias', 'browser', 'tool', 'tunnel', 'httpd', 'viewer', 'update$', 'exec', 'process'],
    ...['path', 'file$', 'dir$', 'directory$', 'template', 'target$', 'insteadof', '\\*$'],
  ].join('|'),
  'i',
);

/** Suspect settings that every process leaves as the repository has them, by the reason why they start nothing. */
const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  'read by commands that the service does not run': [
    ...['add.interactive.useBuiltin', 'alias.*', 'blame.ignoreRevsFile', 'browser.<tool>.cmd'],
    ...['browser.<tool>.path', 'commit.template', 'diff.guitool', 'diff.tool'],
    ...['difftool.<tool>.cmd', 'difftool.<tool>.path', 'difftool.prompt'],
    ...['difftool.trustExitCode', 'gc.recentObjectsHook', 'gitcvs.*', 'gitcvs.dbDriver'],
    ...['gitcvs.logFile', 'guitool.*', 'gui.newBranchTemplate', 'help.browser', 'help.htmlPath'],
    ...['imap.tunnel', 'instaweb.browser', 'instaweb.httpd', 'instaweb.modulePath'],
    ...['mailmap.file', 'man.<tool>.cmd', 'man.<tool>.path', 'man.viewer', 'merge.guitool'],
    ...['merge.tool', 'mergetool.*', 'rebase.abbreviateCommands', 'sendemail.*'],
    ...['submodule.<name>.update', 'trailer.*', 'web.browser', 'gitweb.*', 'stash.*'],
    ...['rebase.instructionFormat', 'notes.rewrite.<command>', 'completion.commands'],
    ...['rebase.updateRefs', 'fastimport.*', 'core.excludesFile', 'format.outputDirectory'],
  ],
  'for the terminal, which no process has': ['color.*', 'pager.<cmd>', 'advice.*', 'column.*'],
  'of other servers, whose clones begin without a configuration': [
    ...['clone.filterSubmodules', 'http.*', 'remote.*', 'url.*', 'bundle.*'],
  ],
  'outweighed by GIT_PROXY_COMMAND': ['core.gitProxy'],
  'outweighed by the option --template': ['init.templateDir'],
  'the empty `credential.helper` of every process follows it': ['credential.*'],
  'taken off all files by `info/attributes`, and off by --no-ext-diff and --no-textconv': [
    ...['diff.<driver>.*', 'filter.<driver>.*', 'merge.<driver>.*', 'core.attributesFile'],
  ],
  'not read from the configuration of a repository': [
    ...['uploadpack.packObjectsHook', 'trace2.*', 'safe.directory'],
  ],
  'include settings, of which those of the process outweigh all': [
    ...['include.path', 'includeIf.<condition>.path'],
  ],
  'of `core.fsmonitor`, which is off': ['fsmonitor.*', 'core.fsmonitorHookVersion'],
  'name files that git reads as text, for `gpg` or `format-patch`, and does not show': [
    ...['gpg.ssh.allowedSignersFile', 'gpg.ssh.revocationFile', 'format.signatureFile'],
    ...['diff.orderFile'],
  ],
  'numbers, switches and lists, whatever their names': [
    ...['commitGraph.maxNewFilters', 'commitGraph.readChangedPaths', 'feature.*', 'fsck.*'],
    ...['fetch.fsck.*', 'receive.fsck.*', 'rerere.autoUpdate', 'status.relativePaths'],
    ...['rebase.rescheduleFailedExec', 'uploadpackfilter.*'],
  ],
};

const matches = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replaceAll('.', '\\.')
      .replaceAll('*', '.+')
      .replaceAll(/<[^>]*>/g, '[^.]+')}$`,
    'i',
  );

describe('settings of the installed git that name programs', () => {
  it('are set for every process, or start no program', async () => {
    const { stdout } = await promisify(execFile)('git', ['help', '--config']);
    const listed = stdout.split('\n').filter((line) => /^[a-z]\S*\.\S+$/i.test(line));
    expect(listed.length).toBeGreaterThan(500);
    const environment = Object.entries(gitEnvironment(runtimeFolders('/nowhere')));
    const set = environment.flatMap(([name, key]) =>
      name.startsWith('GIT_CONFIG_KEY_') ? [key] : [],
    );
    const harmless = Object.values(HARMLESS).flat().map(matches);
    const unknown = listed
      .filter((key) => SUSPECT.test(key))
      .filter((key) => !set.some((one) => matches(key).test(one)))
      .filter((key) => !harmless.some((pattern) => pattern.test(key)));
    expect(unknown).toEqual([]);
  });
});
