export { createBackup, type BackupResult } from './create-backup.js';
export { BackupError } from './errors.js';
export type { Advance } from './progress.js';
export { restoreBackup } from './restore-backup.js';
