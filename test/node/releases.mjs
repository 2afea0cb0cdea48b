// The releases of Node that are supported (docs/install.md#node), and the package of npm that has them for this platform.

/** The oldest first; of each the newest version. */
export const RELEASES = ['20.19', '22', '24', '26'];

export const NODE_PACKAGE = `node-${process.platform}-${process.arch}`;
