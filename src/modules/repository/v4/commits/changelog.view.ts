/** The section of a version in a changelog. */
export class V4ChangelogView {
  /** Markdown. */
  notes!: string;
}
