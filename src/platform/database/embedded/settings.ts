/** `off` trades safety against a power cut for speed: for databases that are thrown away. */
export type Durability = 'on' | 'off';

const UNSAFE = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // Its workers belong to a superuser: a database's owner may not end them, and could not drop it meanwhile.
  autovacuum: 'off',
};

/** Command line options of the server, which win over its configuration files. */
export function serverOptions(cluster: string, port: number, durability: Durability): string[] {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_buffers: '128MB',
    max_connections: 100,
    max_wal_size: '1GB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    // A failed statement may hold what its author wanted to keep secret.
    log_min_error_statement: 'panic',
    logging_collector: 'off',
    ...(durability === 'off' ? UNSAFE : {}),
  };
  return [
    '-D',
    cluster,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}
