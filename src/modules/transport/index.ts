export { SshServer } from './ssh/ssh-server.js';
export { TransportModule } from './transport.module.js';
