import type { ObjectLimits } from '../../git/index.js';
import type { Config } from '../../platform/config/index.js';
import { MAX_COMMIT_BYTES, MAX_TREE_BYTES } from '../../platform/limits/index.js';

/** What clients and other servers may bring into a repository at once. */
export interface PushLimits {
  /** Bytes as they are sent; Infinity is any number. */
  maxBytes: number;
  objectLimits: ObjectLimits;
}

/** The limits of pushes and imports alike: an import is a first push that the service fetches itself. */
export function pushLimitsOf(config: Config): PushLimits {
  const { fileMaxBytes, projectMaxBytes, pushMaxBytes, pushMaxUnpackedBytes } = config;
  return {
    // A pack is stored as it comes, so one that is larger than a project may be cannot be accepted.
    maxBytes: Math.min(pushMaxBytes === 0 ? Infinity : pushMaxBytes, projectMaxBytes),
    objectLimits: {
      ...{ commit: MAX_COMMIT_BYTES, tag: MAX_COMMIT_BYTES, tree: MAX_TREE_BYTES },
      blob: fileMaxBytes,
      total: pushMaxUnpackedBytes,
    },
  };
}
