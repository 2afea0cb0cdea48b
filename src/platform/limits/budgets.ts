/** Bytes in a mebibyte. */
export const MIB = 1024 * 1024;

// Budgets: the most that one request, push, text or client may cost. Each has its default here, an
// environment variable where operators need one, and a line in docs/operations.md.

/** Characters (UTF-16 units) of one text that are read for mentions and references. */
export const REFERENCE_CHARACTERS_PER_TEXT = 100_000;

/** The same of all texts that one request, push or job reads: commit messages, notes that move. */
export const REFERENCE_CHARACTERS_PER_REQUEST = 1_000_000;

/** So many characters are read before other work of the process has its turn: 50 ms at worst. */
export const REFERENCE_CHARACTERS_PER_STEP = 100_000;

/** References to issues and merge requests that one text may have effects on. */
export const REFERENCES_PER_TEXT = 200;

/** The same of all texts of one request, push or job. */
export const REFERENCES_PER_REQUEST = 1_000;

/** Names of users and groups that one text may mention. */
export const MENTIONS_PER_TEXT = 1_000;

/** The newest commits of a push, or of a merge request, whose messages are read for references. */
export const COMMITS_READ_FOR_REFERENCES = 100;

/** Notes that an issue may have to be moved. */
export const NOTES_PER_MOVE = 10_000;

/** Bytes of text that an issue and its notes may have together to be moved. */
export const TEXT_BYTES_PER_MOVE = 64 * 1024 * 1024;

/** Uploads that are copied when an issue moves. */
export const UPLOADS_PER_MOVE = 100;

/** Characters (UTF-16 units) of a commit's message in a list; reading the commit by itself shows all. */
export const LISTED_MESSAGE_CHARACTERS = 65_536;
