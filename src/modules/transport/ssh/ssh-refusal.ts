/**
 * Why a git client over SSH is not served, with the texts of docs/reference/git.md#ssh where it has
 * any.
 */
export class SshRefusal extends Error {
  override readonly name = 'SshRefusal';
}

/** What a client reads on its standard error. */
export const TEXT = {
  missing: 'The project you were looking for could not be found.',
  'git-upload-pack': 'You are not allowed to download code from this project.',
  'git-receive-pack': 'You are not allowed to push code to this project.',
  'git-upload-archive': 'You are not allowed to download code from this project.',
  deployKeyPush: 'Deploy keys are not allowed to push code.',
  blocked: 'Your account has been blocked.',
  switchedOff: 'Git access over SSH is not allowed',
  command: "The command you're trying to execute is not allowed.",
  unknownKey: 'Your key is not known any more.',
  beingFilled: 'The repository is still being filled. Try again later.',
  tooMany: 'You have too many Git operations under way. Try again later.',
  busy: 'The service is busy. Try again later.',
  stopping: 'The service is being stopped. Try again later.',
} as const;
