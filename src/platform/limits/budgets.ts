/** Bytes in a kibibyte. */
export const KIB = 1024;
/** Bytes in a mebibyte. */
export const MIB = 1024 * KIB;

const SECOND = 1000;

// Budgets: the most that one request, push, text or client may cost. Each has its default here, an
// environment variable where operators need one, and a line in docs/operations.md. A limit that one room alone knows stands
// beside its rule.

/** What a request's body may be, by its route. */
export interface BodyLimit {
  /** From a known caller. */
  readonly bytes: number;
  /** Values in JSON, or fields of a form. */
  readonly values: number;
}

/** Of anonymous callers, and of signing in. */
export const ANONYMOUS_BODY: BodyLimit = { bytes: 64 * KIB, values: 1_000 };
/** Where the route says nothing else. */
export const ORDINARY_BODY: BodyLimit = { bytes: MIB + 64 * KIB, values: 10_000 };
/**
 * A description or note of the greatest length, with the rest of its request. Forms and JSON spell a character by up to
 * twelve bytes.
 */
export const TEXT_BODY: BodyLimit = { ...ORDINARY_BODY, bytes: 12 * MIB + 64 * KIB };
/** Of commits and files. */
export const CONTENT_BODY: BodyLimit = { bytes: 20 * MIB, values: 20_000 };

/**
 * Characters (UTF-16 units) of a text in a body, unless its parameter says otherwise: twice the longest text that is stored.
 * Regular expressions fail on texts of four million.
 */
export const PARAMETER_CHARACTERS = 2 * MIB;

/** Body bytes that a process holds for known callers at once. */
export const BODY_BYTES_IN_FLIGHT = {
  name: 'body_bytes',
  total: 64 * MIB,
  perUser: Number.POSITIVE_INFINITY,
  perAddress: 32 * MIB,
  waitMs: 10 * SECOND,
  waiting: 64,
};

/** The same for bodies whose sender is not known. */
export const ANONYMOUS_BYTES_IN_FLIGHT = {
  name: 'anonymous_body_bytes',
  total: 16 * MIB,
  perUser: Number.POSITIVE_INFINITY,
  perAddress: 4 * MIB,
  waitMs: 0,
  waiting: 0,
};

/** How slowly a body may come: at least `bytes` in every window, and all of it in time. */
export interface BodyPace {
  readonly windowMs: number;
  readonly bytes: number;
  readonly deadlineMs: number;
}

export const BODY_PACE: BodyPace = {
  windowMs: 10 * SECOND,
  bytes: 32 * KIB,
  deadlineMs: 600 * SECOND,
};

/**
 * Pieces that the bodies of one connection may come in: a chunk of one byte costs as much as one of 64 KiB. Small ones use up
 * `count`, which is filled up again by one for each `averageBytes`, and by a few for each request.
 */
export const BODY_PIECES = { count: 500, averageBytes: 64, perRequest: 16 };

/** After so many pieces of bodies in one turn of the event loop, further connections are read in the next one. */
export const PIECES_PER_TURN = 500;

/** For how long a connection stays open behind the refusal of its pieces, so that the client can read it. */
export const REFUSED_PIECES_MS = SECOND / 2;

/**
 * How much of a refused body is still read and dropped, in bytes. A client that sends first and listens
 * later would otherwise see a broken connection instead of the refusal.
 */
export const MAX_DISCARDED_BYTES = 44 * MIB;

/** How slowly that rest may come. */
export const DISCARD_PACE: BodyPace = {
  windowMs: 5 * SECOND,
  bytes: 16 * KIB,
  deadlineMs: 120 * SECOND,
};

/** When requests begin to take turns, in milliseconds. */
export const REQUEST_TURNS = {
  /** Once a turn of the event loop has taken so long, no more requests begin in it. */
  longMs: 10,
  /** For so long connections are accepted without that a waiting request begins. */
  acceptMs: 20,
};

/** Requests of the API, and for pages, that are under way. */
export const API_REQUESTS = {
  name: 'api_requests',
  total: 1_024,
  perUser: Number.POSITIVE_INFINITY,
  perAddress: 128,
  waitMs: 10 * SECOND,
  waiting: 2_048,
};

/** What is read of headers that are lists. */
export const PARSED_HEADERS = {
  /** Of `Accept` and `If-None-Match`. Browsers send some 200. */
  preferenceCharacters: 2_048,
  /** Addresses of `X-Forwarded-For`. */
  proxies: 16,
};

/** HTTP connections that a process holds. */
export const HTTP_CONNECTIONS = {
  total: 4_096,
  /** But no more than this share of the files that it may have open: it needs others for git, the database and files. */
  shareOfFiles: 0.5,
  /** Of one address that is neither a loopback address nor a trusted proxy. */
  perAddress: 512,
  /** That the system keeps until they are accepted. A client whose connection is not among them tries again after a second. */
  backlog: 4_096,
};

/** Requests of one connection that wait for the one before them. */
export const MAX_PIPELINED = 64;

/** Files, blobs and archives that are under way, archives over SSH included. */
export const DOWNLOADS = {
  name: 'downloads',
  total: 16,
  perUser: 4,
  perAddress: 8,
  reserved: { slots: 4, perAddress: 1 },
  anonymous: 14,
  waitMs: 10 * SECOND,
  waiting: 1_024,
};

/**
 * Bytes of answers that are made in memory before they are sent: files, blobs, folders and differences as JSON, each counted
 * before it is read and until it has left. Others find room beside two clients that take all they may.
 */
export const ANSWER_MEMORY = {
  name: 'answer_memory',
  total: 384 * MIB,
  perUser: 128 * MIB,
  perAddress: 128 * MIB,
  reserved: { slots: 128 * MIB, perAddress: 32 * MIB },
  anonymous: 288 * MIB,
  waitMs: 20 * SECOND,
  waiting: 512,
};

/** What answers with files, folders and differences count in `ANSWER_MEMORY`. */
export const ANSWER_BYTES = {
  /** For each byte of a file: the content, its base64, and the JSON of that. */
  perFileByte: 3,
  /** A difference, of which git's text has at most 8 MiB. */
  difference: 32 * MIB,
  /** For each byte of a folder as Git stores it, at most all that one user may take. */
  perFolderByte: 8,
  /** All below a folder: 100,000 entries. */
  recursiveFolder: 32 * MIB,
};

/** Bytes of text that a list loads before it begins to answer. */
export const LISTED_TEXT_BYTES = 256 * KIB;

/** Bytes of text that a longer list loads at a time while it is sent. */
export const TEXT_BYTES_PER_PART = 512 * KIB;

/** Characters of JSON up to which a list is sent in one piece; a longer one item by item, with a slot. */
export const ONE_PIECE_CHARACTERS = MIB;

/** Long lists that are being sent. */
export const LONG_LISTS = {
  name: 'long_lists',
  total: 8,
  perUser: 2,
  perAddress: 2,
  reserved: { slots: 4, perAddress: 1 },
  anonymous: 6,
  waitMs: 20 * SECOND,
  waiting: 512,
};

/** How slowly a client may read. */
export interface ReaderPace {
  readonly windowMs: number;
  /** It falls behind by each window in which it takes less than this. */
  readonly bytes: number;
  /** It is cut off when it is so many windows behind. */
  readonly windows: number;
  /** What waits at once has to be taken in so many windows, since it waits in memory. */
  readonly windowsOfAll: number;
}

/**
 * The system takes megabytes at once and then nothing until a third of them has left, which is a minute for a
 * client behind a slow line and a proxy on the same machine. What waits leaves within an hour.
 */
export const READER_PACE: ReaderPace = {
  windowMs: 10 * SECOND,
  bytes: 16 * KIB,
  windows: 12,
  windowsOfAll: 360,
};

/** Of one commit or annotated tag, message and headers together; bytes. */
export const MAX_COMMIT_BYTES = MIB;
/** Of one folder in a commit: about 400,000 files; bytes. */
export const MAX_TREE_BYTES = 16 * MIB;
/** Of a compressed body over Git's protocol, inflated: git compresses lists of commits, never packs; bytes. */
export const MAX_INFLATED_BYTES = 64 * MIB;
/**
 * Fetches and pushes of one process, over HTTP and SSH together. One address gets 64 while it is alone. Clients may hold them
 * for minutes, so 16 more are for addresses that have few.
 */
export const GIT_CONVERSATIONS = {
  name: 'git_conversations',
  total: 80,
  perUser: 32,
  perAddress: 64,
  reserved: { slots: 16, perAddress: 4 },
  waitMs: 60 * SECOND,
  waiting: 512,
} as const;
/**
 * Fetches of one process for which git puts a pack together, until it begins to send it: as many as processors can work
 * on. One client gets all but one, and at least one, since a huge pack may take a minute to begin. The line has room for all
 * conversations of an address, so that no client is refused without waiting.
 * @param total what the operator says
 */
export const preparedFetches = (total: number) => ({
  name: 'git_fetches',
  total,
  perUser: Math.max(1, total - 1),
  perAddress: Math.max(1, total - 1),
  waitMs: 60 * SECOND,
  waiting: 4 * GIT_CONVERSATIONS.perAddress,
});
/** How long a fetch may hold such a slot: a pack of a huge repository may take long to begin. */
export const GIT_PREPARATION_MS = 60 * SECOND;
/** How long a client may take to send what it wants to fetch, or the beginning of a push; milliseconds. */
export const GIT_REQUEST_MS = 60_000;
/** How slowly a Git client may send and read. What it waits for git does not count. */
export const GIT_CLIENT_RATE = {
  bytesPerSecond: 2 * KIB,
  /** How far it may fall behind: as long as a client computes what it pushes, and sends nothing. */
  patienceMs: 300 * SECOND,
} as const;
/** How long after its beginning the client of a fetch may still say what it wants and has; milliseconds. */
export const GIT_NEGOTIATION_MS = 600 * SECOND;
/** Of a commit, merge or tag message through the API: fits `MAX_COMMIT_BYTES` in any script; characters. */
export const MAX_COMMIT_MESSAGE = 200_000;
