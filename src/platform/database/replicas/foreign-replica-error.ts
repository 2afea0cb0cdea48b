/** A configured standby is one of another database. */
export class ForeignReplicaError extends Error {
  constructor(name: string, reason: string) {
    super(`${name} in DATABASE_REPLICA_URLS cannot be used: ${reason}`);
  }
}
