/** Returns the part of a protocol request that is passed to git; null for version 0 and unknown requests. */
export function acceptedProtocol(protocol: string | undefined): string | null {
  const version = protocol?.split(':').find((part) => /^version=[12]$/.test(part));
  return version ?? null;
}

export function protocolEnvironment(protocol: string | undefined): Record<string, string> {
  const accepted = acceptedProtocol(protocol);
  return accepted === null ? {} : { GIT_PROTOCOL: accepted };
}
