import type { ObjectLimits } from '../../git/index.js';
import type { Config } from '../../platform/config/index.js';
import { MAX_COMMIT_BYTES, MAX_TREE_BYTES } from '../../platform/limits/index.js';

/** What clients and other servers may bring into a repository at once. */
export interface PushLimits {
  /** Bytes as they are sent; undefined is any number. */
  maxBytes: number | undefined;
  objectLimits: ObjectLimits;
}

/** The limits of pushes and imports alike: an import is a first push that the service fetches itself. */
export function pushLimitsOf(config: Config): PushLimits {
  const { fileMaxBytes, pushMaxBytes, pushMaxUnpackedBytes } = config;
  return {
    maxBytes: pushMaxBytes === 0 ? undefined : pushMaxBytes,
    objectLimits: {
      ...{ commit: MAX_COMMIT_BYTES, tag: MAX_COMMIT_BYTES, tree: MAX_TREE_BYTES },
      blob: fileMaxBytes,
      total: pushMaxUnpackedBytes,
    },
  };
}
