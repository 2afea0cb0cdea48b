export { inspectHostKeys } from './ssh/host-keys.js';
export { SshServer } from './ssh/ssh-server.js';
export { GitAccessModule } from './git-access.module.js';
