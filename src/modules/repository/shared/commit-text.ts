import type { Commit, Oid, Repository, Signature } from '../../../git/index.js';
import { MIB } from '../../../platform/limits/index.js';

/** Characters (UTF-16 units) of a commit's message in a list; reading the commit by itself shows all. */
const LISTED_MESSAGE_CHARACTERS = 65_536;
/** The same of all messages in a list: beyond, each is cut to its share. */
const LISTED_MESSAGES_CHARACTERS = MIB;

/** Characters of a name or e-mail address of a commit in a list, where a push may bring a megabyte of them. */
const LISTED_NAME_CHARACTERS = 255;
/** Parents of a commit in a list. */
const LISTED_PARENTS = 100;

/** Commits whose whole messages are in memory. */
const COMMITS_AT_ONCE = 100;

const SHORT_ID_LENGTH = 8;
/** The first half of a character that UTF-16 writes as two units. */
const SPLIT_CHARACTER = /[\uD800-\uDBFF]$/;

export const shortId = (oid: string): string => oid.slice(0, SHORT_ID_LENGTH);

/** Returns the first line of a message that is not blank. */
export function titleOf(message: string): string {
  const start = message.search(/\S/);
  if (start < 0) return '';
  const end = message.indexOf('\n', start);
  return message.slice(start, end < 0 ? undefined : end).trim();
}

/** Truncates a text from Git for storage, and removes NUL characters, which PostgreSQL does not accept. */
export function storable(text: string, maxLength: number): string {
  const cut =
    text.length > maxLength ? text.slice(0, maxLength).replace(SPLIT_CHARACTER, '') : text;
  return cut.replaceAll('\0', '');
}

/** Truncates a message for a list; a truncated message ends in `…`. */
export function cutMessage(message: string, maxLength = LISTED_MESSAGE_CHARACTERS): string {
  // One character more for the ellipsis, so that a truncated message is not truncated again.
  if (message.length <= maxLength + 1) return message;
  return `${message.slice(0, maxLength).replace(SPLIT_CHARACTER, '')}…`;
}

/**
 * Truncates the messages of a list: each by `cutMessage`, and all to equal shares of
 * `LISTED_MESSAGES_CHARACTERS` if together they are longer.
 */
export function cutMessages(messages: readonly (string | null)[]): (string | null)[] {
  const cut = messages.map((message) => message && cutMessage(message));
  const characters = cut.reduce((sum, message) => sum + (message?.length ?? 0), 0);
  if (characters <= LISTED_MESSAGES_CHARACTERS) return cut;
  const share = Math.floor(LISTED_MESSAGES_CHARACTERS / messages.length);
  return cut.map((message) => message && cutMessage(message, share));
}

/**
 * Reads commits for a list, in the order of their ids, with messages truncated as by `cutMessages`, names and e-mail addresses
 * after 255 characters, and the first 100 parents. Reads some at a time: thousands of long messages need hundreds of megabytes
 * before they are truncated. A commit that cannot be read has its id and is blank otherwise.
 */
export async function listCommits(
  { objects }: Pick<Repository, 'objects'>,
  oids: readonly Oid[],
): Promise<Commit[]> {
  const share = Math.floor(LISTED_MESSAGES_CHARACTERS / oids.length);
  const shorten = (commit: Commit): Commit => ({
    ...commit,
    message: copyOf(cutMessage(commit.message, share)),
  });
  let commits: Commit[] = [];
  let characters = 0;
  for (let at = 0; at < oids.length; at += COMMITS_AT_ONCE) {
    for (const commit of await objects.listed(oids.slice(at, at + COMMITS_AT_ONCE))) {
      const wasLong = characters > LISTED_MESSAGES_CHARACTERS;
      const listed = listedCommit(commit);
      characters += listed.message.length;
      commits.push(wasLong ? shorten(listed) : listed);
      if (!wasLong && characters > LISTED_MESSAGES_CHARACTERS) commits = commits.map(shorten);
    }
  }
  return commits;
}

const listedCommit = (commit: Commit): Commit => ({
  ...commit,
  parents: commit.parents.slice(0, LISTED_PARENTS),
  author: listedSignature(commit.author),
  committer: listedSignature(commit.committer),
  message: cutMessage(commit.message),
});

function listedSignature(signature: Signature): Signature {
  const { name, email } = signature;
  if (Math.max(name.length, email.length) <= LISTED_NAME_CHARACTERS) return signature;
  const [cutName, cutEmail] = [name, email].map((text) =>
    copyOf(cutMessage(text, LISTED_NAME_CHARACTERS)),
  );
  return { ...signature, name: cutName ?? '', email: cutEmail ?? '' };
}

/** Copies a text: a part of a text would keep all of it in memory. */
export const copyOf = (text: string): string => Buffer.from(text).toString();
