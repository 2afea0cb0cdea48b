/** The client disconnected before its request was complete or answered, which is no failure of the service. */
export class ClientDisconnectedError extends Error {
  override readonly name = 'ClientDisconnectedError';
}
