/** A fork has got its branches and tags. Published in the unit of work that records it. */
export class RepositoryCopied {
  constructor(
    readonly projectId: number,
    /** Name of the storage root that holds the repository. */
    readonly storage: string,
  ) {}
}
