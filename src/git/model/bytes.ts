/** Bytes in a mebibyte. */
export const MIB = 1024 * 1024;
/** Bytes of the name of an object in binary form. */
export const OID_BYTES = 20;

/** The code of a line feed. */
export const LF = 0x0a;
/** The code of a space. */
export const SPACE = 0x20;
