import type { ObjectLimits } from '../../../git/index.js';
import type { Config } from '../../../platform/config/index.js';
import { MAX_COMMIT_BYTES, MAX_TREE_BYTES } from '../../../platform/limits/index.js';

/** The limits of one push or import. */
interface PushLimits {
  /** Bytes of the pack as sent; Infinity: no limit. */
  maxBytes: number;
  objectLimits: ObjectLimits;
}

/** Reads the limits, which are the same for pushes and imports, from the configuration. */
export function pushLimitsOf(config: Config): PushLimits {
  const { fileMaxBytes, projectMaxBytes, pushMaxBytes, pushMaxUnpackedBytes } = config;
  return {
    // A pack is stored as it comes, so one that is larger than a project may be cannot be accepted.
    maxBytes: Math.min(pushMaxBytes === 0 ? Infinity : pushMaxBytes, projectMaxBytes),
    objectLimits: {
      commit: MAX_COMMIT_BYTES,
      tag: MAX_COMMIT_BYTES,
      tree: MAX_TREE_BYTES,
      blob: fileMaxBytes,
      total: pushMaxUnpackedBytes,
    },
  };
}
