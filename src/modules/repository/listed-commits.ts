import type { Commit, Oid, Repository } from '../../git/index.js';
import { LISTED_MESSAGES_CHARACTERS } from '../../platform/limits/index.js';
import { cutMessage } from './commit.presenter.js';

/**
 * Reads commits for a list, in the order of their ids; one that cannot be read has its id and is blank
 * otherwise. Messages are cut as `cutMessages` says.
 */
export async function listCommits(
  { objects }: Pick<Repository, 'objects'>,
  oids: readonly Oid[],
): Promise<Commit[]> {
  const commits = await objects.listed(oids);
  const messages = cutMessages(commits.map(({ message }) => message));
  return commits.map((commit, index) => ({ ...commit, message: messages[index] ?? '' }));
}

/**
 * The messages of a list as it shows them: each as `cutMessage` cuts it, and to equal shares of
 * `LISTED_MESSAGES_CHARACTERS` where they are longer together.
 */
export function cutMessages(messages: readonly (string | null)[]): (string | null)[] {
  const cut = messages.map((message) => message && cutMessage(message));
  const characters = cut.reduce((sum, message) => sum + (message?.length ?? 0), 0);
  if (characters <= LISTED_MESSAGES_CHARACTERS) return cut;
  const share = Math.floor(LISTED_MESSAGES_CHARACTERS / messages.length);
  return cut.map((message) => message && cutMessage(message, share));
}
