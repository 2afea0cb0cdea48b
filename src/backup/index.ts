export { createBackup, type BackupResult } from './create-backup.js';
export { isArchive } from './files/compression.js';
export { BackupError } from './errors.js';
export { restoreBackup } from './restore-backup.js';
