/** Makes the first commit of new projects. The room of repositories, which is above this one, provides it. */
export abstract class FirstCommits {
  /**
   * Schedules a commit of a `README.md` with name and description of a project, in the unit of work that creates the project:
   * it follows even after a crash. Does nothing once the repository has a commit.
   * @param userId the author
   */
  abstract scheduleReadme(projectId: number, userId: number): Promise<void>;

  /** Commits it right after that unit of work, before the response. Never fails: the scheduled job follows. */
  abstract tryReadmeNow(projectId: number, userId: number): Promise<void>;
}
