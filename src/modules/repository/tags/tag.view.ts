import { RefCommitView } from '../commit.view.js';

/** What is written about the version that a tag marks. */
export class ReleaseView {
  tag_name!: string;
  description!: string;
}

/** A tag (docs/reference/tags.md#the-tag-object). */
export class TagView {
  name!: string;
  /** Null for a lightweight tag. */
  message!: string | null;
  /** Null for a tag that marks no commit. */
  commit!: RefCommitView | null;
  release!: ReleaseView | null;
}
